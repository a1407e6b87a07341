// SPDX-License-Identifier: Apache-2.0
#include "launcher/host_cores.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/cpus.h"

namespace ringmaster::launcher {
namespace {

TEST(HostCores, AreTheProcessorsThatWeMayUseEachOnce) {
  std::vector<int> processors;
  for (const mapping::Core& core : read_cores()) {
    ASSERT_FALSE(core.processors.empty());
    processors.insert(processors.end(), core.processors.begin(), core.processors.end());
  }
  std::ranges::sort(processors);
  EXPECT_EQ(processors, read_allowed_cpus());
}

}  // namespace
}  // namespace ringmaster::launcher
