// SPDX-License-Identifier: Apache-2.0
#include "collectives/tensors/buckets.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace ringmaster::collectives {
namespace {

using Plan = std::vector<std::vector<std::size_t>>;

ReadyTensor ready(std::size_t id, std::uint64_t bytes, std::uint64_t address,
                  Type type = RINGMASTER_FLOAT32) {
  return {id, type, RINGMASTER_SUM, bytes, address};
}

TEST(Buckets, FuseUpToTheirSize) {
  EXPECT_EQ(plan_buckets({}, 100), Plan{});
  EXPECT_EQ(plan_buckets({ready(0, 60, 0), ready(1, 40, 60), ready(2, 1, 100)}, 100),
            (Plan{{0, 1}, {2}}));
  EXPECT_EQ(plan_buckets({ready(0, 500, 0), ready(1, 10, 500)}, 100), (Plan{{0}, {1}}));
}

TEST(Buckets, StandInTheOrderOfMemory) {
  // As a backward pass hands its gradients in.
  EXPECT_EQ(plan_buckets({ready(0, 8, 300), ready(1, 8, 200), ready(2, 8, 100)}, 100),
            (Plan{{2, 1, 0}}));
}

TEST(Buckets, KeepTypesApart) {
  EXPECT_EQ(plan_buckets({ready(0, 8, 0), ready(1, 8, 8, RINGMASTER_INT32), ready(2, 8, 16)}, 100),
            (Plan{{0, 2}, {1}}));
}

TEST(Buckets, HoldEveryTensorOnceAndNotTooMuch) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    std::vector<ReadyTensor> all;
    for (std::size_t i = 0; i < random.below(40); ++i) {
      all.push_back(ready(i, random.below(120), random.below(1000),
                          random.chance(0.3) ? RINGMASTER_INT32 : RINGMASTER_FLOAT32));
    }
    std::vector<int> seen(all.size());
    for (const auto& bucket : plan_buckets(all, 100)) {
      ASSERT_FALSE(bucket.empty());
      std::uint64_t bytes = 0;
      for (const std::size_t i : bucket) {
        ++seen[i];
        bytes += all[i].bytes;
        EXPECT_EQ(all[i].type, all[bucket[0]].type);
      }
      EXPECT_TRUE(bytes <= 100 || bucket.size() == 1) << "seed " << seed;
    }
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<std::ptrdiff_t>(all.size()));
  }
}

}  // namespace
}  // namespace ringmaster::collectives
