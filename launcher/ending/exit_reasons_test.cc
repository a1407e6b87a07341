// SPDX-License-Identifier: Apache-2.0
#include "launcher/ending/exit_reasons.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "base/temporary_folder.h"

namespace ringmaster::launcher {
namespace {

void write(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path) << text;
}

TEST(CorePath, FollowsThePattern) {
  EXPECT_EQ(core_path("core", false, "/home/me", 12, 11), "/home/me/core");
  EXPECT_EQ(core_path("core", true, "/home/me", 12, 11), "/home/me/core.12");
  EXPECT_EQ(core_path("/cores/100%%.%p.%s", true, "/home/me", 12, 11), "/cores/100%.12.11");
}

TEST(CorePath, IsNotGuessed) {
  EXPECT_EQ(core_path("core.%e", false, "/home/me", 12, 11),
            "");  // a name that it may have changed
  EXPECT_EQ(core_path("core%", false, "/home/me", 12, 11), "");
  EXPECT_EQ(core_path("", false, "/home/me", 12, 11), "");
}

TEST(ExitReasons, NameACoreThatIsThere) {
  const TemporaryFolder root;
  write(root.file("proc/sys/kernel/core_pattern"), "core\n");
  write(root.file("proc/sys/kernel/core_uses_pid"), "1\n");
  ExitReasons reasons(root.path());
  const EndedProcess ended = {
      .pid = 12, .status = {.signal = SIGSEGV}, .dumped = true, .folder = root.file("work")};
  EXPECT_EQ(reasons.of(ended), "core dumped");
  write(root.file("work/core.12"), "");
  EXPECT_EQ(reasons.of(ended), "core dumped to " + root.file("work/core.12"));
}

TEST(ExitReasons, NameTheProgramThatTakesCores) {
  const TemporaryFolder root;
  write(root.file("proc/sys/kernel/core_pattern"), "|/usr/lib/systemd/systemd-coredump %P %u\n");
  ExitReasons reasons(root.path());
  EXPECT_EQ(reasons.of({.pid = 12, .status = {.signal = SIGABRT}, .dumped = true}),
            "core dumped into /usr/lib/systemd/systemd-coredump");
}

TEST(ExitReasons, AKillOfOursIsNotForLackOfMemory) {
  const TemporaryFolder root;
  write(root.file("proc/vmstat"), "oom_kill 0\n");
  ExitReasons reasons(root.path());
  write(root.file("proc/vmstat"), "oom_kill 1\n");
  EXPECT_EQ(reasons.of({.pid = 12, .status = {.signal = SIGKILL}, .killed = true}), "");
  EXPECT_EQ(reasons.of({.pid = 13, .status = {.signal = SIGKILL}}),
            "probably out of memory: this host had none left");
}

}  // namespace
}  // namespace ringmaster::launcher
