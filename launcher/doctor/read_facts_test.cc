// SPDX-License-Identifier: Apache-2.0
//
// Reads hosts that are folders with files as /proc and /sys have them.
#include "launcher/doctor/read_facts.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/temporary_folder.h"

namespace ringmaster::launcher::doctor {
namespace {

class Host : public testing::Test {
 protected:
  void file(const std::string& path, const std::string& text) {
    const std::filesystem::path whole = folder_.file(path);
    std::filesystem::create_directories(whole.parent_path());
    std::ofstream(whole) << text;
  }
  Facts limits() const {
    Facts facts;
    read_limit_facts(folder_.path(), facts);
    return facts;
  }
  Facts kernel() const {
    Facts facts;
    read_kernel_facts(folder_.path(), facts);
    return facts;
  }

  ringmaster::TemporaryFolder folder_;
};

TEST_F(Host, OfWhichNothingIsThere) {
  const Facts facts = kernel();
  EXPECT_FALSE(facts.memory);
  EXPECT_FALSE(facts.overcommit);
  EXPECT_FALSE(facts.peer_memory_module);
  EXPECT_FALSE(facts.governor);
  EXPECT_FALSE(facts.in_container);
  EXPECT_TRUE(facts.rdma.empty());
  const Facts limited = limits();
  EXPECT_FALSE(limited.memory_limit);
  EXPECT_FALSE(limited.thread_limit);
  EXPECT_FALSE(limited.limits.may_lock_all) << "no capability is known";
  ASSERT_TRUE(limited.shared_memory);
  EXPECT_FALSE(limited.shared_memory->there);
  EXPECT_TRUE(limited.limits.open_files) << "the process's own";
}

TEST_F(Host, Settings) {
  file("proc/meminfo", "MemTotal: 100 kB\nMemAvailable: 50 kB\n");
  file("proc/sys/vm/overcommit_memory", "2\n");
  file("proc/sys/kernel/yama/ptrace_scope", "3\n");
  file("proc/sys/kernel/numa_balancing", "1\n");
  file("sys/kernel/mm/transparent_hugepage/shmem_enabled", "always advise [deny]\n");
  file("sys/class/infiniband/mlx5_1/ports/1/state", "1: DOWN\n");
  file("sys/class/infiniband/mlx5_0/ports/1/state", "4: ACTIVE\n");
  file("sys/class/infiniband/mlx5_0/ports/x/state", "4: ACTIVE\n");
  file("sys/module/nvidia_peermem/refcnt", "0\n");
  file("sys/devices/system/cpu/cpu0/cpufreq/scaling_driver", "acpi-cpufreq\n");
  file("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  file("proc/self/mounts", "overlay / overlay rw,relatime 0 0\nproc /proc proc rw 0 0\n");
  const Facts facts = kernel();
  EXPECT_EQ(facts.memory->available, 51200U);
  EXPECT_EQ(facts.overcommit, 2);
  EXPECT_EQ(facts.ptrace_scope, 3);
  EXPECT_EQ(facts.numa_balancing, 1);
  EXPECT_EQ(facts.shared_huge_pages, "deny");
  EXPECT_EQ(facts.rdma, (std::vector<RdmaPort>{{"mlx5_0", 1, "ACTIVE"}, {"mlx5_1", 1, "DOWN"}}));
  EXPECT_EQ(facts.peer_memory_module, true);
  EXPECT_EQ(facts.governor->driver, "acpi-cpufreq");
  EXPECT_EQ(facts.governor->governor, "powersave");
  EXPECT_TRUE(facts.in_container);
}

TEST_F(Host, GroupsOfVersionTwoCountTheTightestAbove) {
  file("proc/self/cgroup", "0::/job/step\n");
  file("sys/fs/cgroup/job/step/memory.max", "max\n");
  file("sys/fs/cgroup/job/step/memory.current", "100\n");
  file("sys/fs/cgroup/job/memory.max", "4096\n");
  file("sys/fs/cgroup/job/memory.current", "1024\n");
  file("sys/fs/cgroup/job/step/pids.max", "77\n");
  file("sys/fs/cgroup/job/step/pids.current", "5\n");
  file("sys/fs/cgroup/job/cpu.max", "150000 100000\n");
  const Facts facts = limits();
  ASSERT_TRUE(facts.memory_limit && facts.thread_limit);
  EXPECT_EQ(facts.memory_limit->limit, 4096U);
  EXPECT_EQ(facts.memory_limit->used, 1024U);
  EXPECT_EQ(facts.thread_limit->limit, 77U);
  EXPECT_EQ(facts.thread_limit->used, 5U);
  EXPECT_EQ(facts.processor_quota, 1.5);
}

TEST_F(Host, GroupsOfVersionOne) {
  // As in a container: the path is the host's, and only the top is there.
  file("proc/self/cgroup", "4:memory:/docker/0123\n8:pids:/docker/0123\n0::/\n");
  file("sys/fs/cgroup/memory/memory.limit_in_bytes", "8192\n");
  file("sys/fs/cgroup/memory/memory.usage_in_bytes", "1\n");
  file("sys/fs/cgroup/pids/pids.max", "max\n");
  const Facts facts = limits();
  ASSERT_TRUE(facts.memory_limit && facts.thread_limit);
  EXPECT_EQ(facts.memory_limit->limit, 8192U);
  EXPECT_EQ(facts.memory_limit->used, 1U);
  EXPECT_EQ(facts.thread_limit->limit, kUnlimited);
}

TEST_F(Host, CapabilitiesCountOnlyInTheHostsUserNamespace) {
  file("proc/self/status", "Name:\tx\nCapEff:\t000001ffffffffff\n");
  file("proc/self/uid_map", "         0       1000          1\n");
  EXPECT_FALSE(limits().limits.may_lock_all);
  file("proc/self/uid_map", "         0          0 4294967295\n");
  EXPECT_TRUE(limits().limits.may_lock_all);
  EXPECT_TRUE(limits().limits.any_threads);
  file("proc/self/status", "CapEff:\t0000000000000000\n");
  EXPECT_FALSE(limits().limits.may_lock_all);
}

TEST_F(Host, AModuleThatIsLoadedBesideAnotherLibrary) {
  file("proc/driver/nvidia/version",
       "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.129.03  Thu Oct 19\n");
  Facts facts;
  read_driver_facts(folder_.path(), facts);
  EXPECT_EQ(facts.driver.module_version, "535.129.03");
}

TEST_F(Host, KernelLogs) {
  file("log",
       "[1.0] NVRM: Xid (PCI:0000:3b:00): 31, x\nnothing\n[2.0] NVRM: Xid (PCI:0000:3b:00): 79, y");
  auto events = read_kernel_log(folder_.file("log"));
  ASSERT_TRUE(events.ok());
  EXPECT_EQ(*events, (std::vector<XidEvent>{{31, "0000:3b:00.0", "x"}, {79, "0000:3b:00.0", "y"}}));
  std::string many;
  for (int i = 0; i < 1500; ++i) {
    many += "NVRM: Xid (PCI:0000:3b:00): 31, " + std::to_string(i) + "\n";
  }
  file("log", many + std::string(100'000, 'x'));  // and a line that is none
  events = read_kernel_log(folder_.file("log"));
  ASSERT_EQ(events->size(), 1000U);
  EXPECT_EQ(events->front().detail, "500") << "the last ones stay";
  EXPECT_EQ(read_kernel_log(folder_.file("none")).error().code, Errc::not_found);
  EXPECT_EQ(read_kernel_log("/dev/null")->size(), 0U) << "a device gives records";
}

TEST(ThisHost, IsReadWithoutAHitch) {
  const Facts facts = read_facts("");
  EXPECT_GT(facts.processors, 0);
  ASSERT_TRUE(facts.memory);
  EXPECT_GT(facts.memory->total, facts.memory->available);
  ASSERT_TRUE(facts.name);
  EXPECT_NE(facts.name->addresses.empty(), facts.name->error.empty());
  EXPECT_TRUE(facts.kernel);
}

}  // namespace
}  // namespace ringmaster::launcher::doctor
