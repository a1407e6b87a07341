// SPDX-License-Identifier: Apache-2.0
#include "base/cpus.h"

#include <gtest/gtest.h>

#include <thread>

namespace ringmaster {
namespace {

TEST(Cpus, ReadsQuotasOfBothVersions) {
  EXPECT_EQ(parse_cpu_max("max 100000\n"), 0);
  EXPECT_EQ(parse_cpu_max("150000 100000\n"), 1.5);
  EXPECT_EQ(parse_cpu_max("-1\n 100000\n"), 0);  // v1 without a limit
  EXPECT_EQ(parse_cpu_max(" "), 0);
  EXPECT_EQ(parse_cpu_max("1e308 1e-5"), 0);  // no number of processors
}

TEST(Cpus, TheBudgetIsWithinTheMask) {
  EXPECT_LE(1, read_cpu_budget());
  EXPECT_LE(read_cpu_budget(), static_cast<int>(read_allowed_cpus().size()));
  EXPECT_EQ(read_allowed_cpus().size(), std::thread::hardware_concurrency());
}

}  // namespace
}  // namespace ringmaster
