// SPDX-License-Identifier: Apache-2.0
#include "base/cpus.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "base/temporary_folder.h"

namespace ringmaster {
namespace {

TEST(Cpus, ReadsQuotasOfBothVersions) {
  EXPECT_EQ(parse_cpu_max("max 100000\n"), 0);
  EXPECT_EQ(parse_cpu_max("150000 100000\n"), 1.5);
  EXPECT_EQ(parse_cpu_max("-1\n 100000\n"), 0);  // v1 without a limit
  EXPECT_EQ(parse_cpu_max(" "), 0);
  EXPECT_EQ(parse_cpu_max("1e308 1e-5"), 0);  // no number of processors
}

/// A machine's files: paths and what is in them.
double quota_of(const std::vector<std::pair<std::string, std::string>>& files) {
  TemporaryFolder root;
  for (const auto& [path, text] : files) {
    const std::filesystem::path file = root.file(path);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  return read_cpu_quota(root.path());
}

TEST(Cpus, TheTightestQuotaOfAllLayoutsCounts) {
  EXPECT_EQ(quota_of({{"proc/self/cgroup", "0::/job/step\n"},
                      {"sys/fs/cgroup/job/step/cpu.max", "max 100000\n"},
                      {"sys/fs/cgroup/job/cpu.max", "150000 100000\n"}}),
            1.5);
  EXPECT_EQ(quota_of({{"proc/self/cgroup", "4:cpu,cpuacct:/job\n2:memory:/other\n"},
                      {"sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "200000\n"},
                      {"sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n"},
                      {"sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n"},
                      {"sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"}}),
            2);
  EXPECT_EQ(quota_of({{"proc/self/cgroup", "3:cpuacct,cpu:/docker/1\n0::/docker/1\n"},
                      {"sys/fs/cgroup/unified/docker/1/cgroup.procs", ""},
                      {"sys/fs/cgroup/cpu/cpu.cfs_quota_us", "50000\n"},
                      {"sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"}}),
            0.5)
      << "hybrid, in a container";
  EXPECT_EQ(quota_of({{"proc/self/cgroup", "0::/\n"}}), 0);
  EXPECT_EQ(quota_of({}), 0);
}

TEST(Cpus, TheBudgetIsWithinTheMask) {
  EXPECT_LE(1, read_cpu_budget());
  EXPECT_LE(read_cpu_budget(), static_cast<int>(read_allowed_cpus().size()));
  EXPECT_EQ(read_allowed_cpus().size(), std::thread::hardware_concurrency());
}

}  // namespace
}  // namespace ringmaster
