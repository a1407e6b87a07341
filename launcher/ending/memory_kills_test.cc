// SPDX-License-Identifier: Apache-2.0
#include "launcher/ending/memory_kills.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/temporary_folder.h"

namespace ringmaster::launcher {
namespace {

/// A machine of files: what its kernel shows of control groups.
struct Machine {
  TemporaryFolder folder;
  std::string root() const { return folder.path(); }
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(folder.file(name)).parent_path());
    std::ofstream(folder.file(name)) << text;
  }
};

TEST(MemoryKills, VersionTwoCountsInMemoryEvents) {
  const Machine machine;
  machine.write("proc/self/cgroup", "0::/job/step\n");
  const std::string events = "sys/fs/cgroup/job/step/memory.events";
  machine.write(events, "low 0\nhigh 0\nmax 7\noom 3\noom_kill 3\noom_group_kill 0\n");
  machine.write("sys/fs/cgroup/job/step/memory.max", "max\n");
  machine.write("sys/fs/cgroup/job/memory.max", "536870912\n");
  MemoryKills kills(machine.root());
  EXPECT_EQ(kills.explain(true), "");  // someone else's SIGKILL
  machine.write(events, "low 0\nhigh 0\nmax 9\noom 4\noom_kill 4\noom_group_kill 0\n");
  EXPECT_EQ(kills.explain(true), "out of memory: control group /job may have 512 MiB");
  EXPECT_EQ(kills.explain(true), "") << "one kill explains one death";
}

TEST(MemoryKills, VersionOneCountsInOomControl) {
  const Machine machine;
  machine.write("proc/self/cgroup", "4:memory:/job\n0::/\n");
  const std::string control = "sys/fs/cgroup/memory/job/memory.oom_control";
  machine.write(control, "oom_kill_disable 0\nunder_oom 0\noom_kill 0\n");
  machine.write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "33554432\n");
  machine.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  MemoryKills kills(machine.root());
  machine.write(control, "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n");
  EXPECT_EQ(kills.explain(true), "out of memory: control group /job may have 32 MiB");
  EXPECT_EQ(kills.explain(false),
            "meanwhile the kernel killed a process for lack of memory: control group /job may have "
            "32 MiB");
  EXPECT_EQ(kills.explain(true), "");
}

TEST(MemoryKills, AnOldKernelOnlyMakesItLikely) {
  const Machine machine;
  machine.write("proc/self/cgroup", "4:memory:/docker/1\n");
  machine.write("sys/fs/cgroup/memory/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\n");
  machine.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "1610612736\n");
  machine.write("sys/fs/cgroup/memory/memory.failcnt", "5\n");
  MemoryKills kills(machine.root());
  machine.write("sys/fs/cgroup/memory/memory.failcnt", "90\n");
  EXPECT_EQ(kills.explain(false), "") << "a limit that was met does not explain an exit code";
  machine.write("sys/fs/cgroup/memory/memory.failcnt", "99\n");
  EXPECT_EQ(kills.explain(true), "probably out of memory: control group / may have 1.5 GiB");
}

TEST(MemoryKills, TheHostsOwnCountOnlyMakesItLikely) {
  const Machine machine;
  machine.write("proc/self/cgroup", "0::/\n");
  machine.write("proc/vmstat", "nr_free_pages 1\noom_kill 8\n");
  MemoryKills kills(machine.root());
  EXPECT_EQ(kills.explain(true), "");
  machine.write("proc/vmstat", "nr_free_pages 1\noom_kill 9\n");
  EXPECT_EQ(kills.explain(true), "probably out of memory: this host had none left");
}

TEST(MemoryKills, WhereNothingCountsNothingIsSaid) {
  const Machine machine;
  MemoryKills kills(machine.root());
  EXPECT_EQ(kills.explain(true), "");
}

}  // namespace
}  // namespace ringmaster::launcher
