// SPDX-License-Identifier: Apache-2.0
#include "worker/training/sampler.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace ringmaster::training {
namespace {

TEST(Sampler, StepsCoverAnEpochOnceAndTheLastMayBeShort) {
  EXPECT_EQ(steps_per_epoch(10, 4), 3);
  EXPECT_EQ(steps_per_epoch(8, 4), 2);
  EXPECT_EQ(steps_per_epoch(3, 4), 1);
  std::int64_t place = 0;
  for (std::int64_t step = 0; step < 6; ++step) {
    const Batch batch = batch_of_step(step, 10, 4);
    EXPECT_EQ(batch.epoch, step / 3);
    EXPECT_EQ(batch.first, place);
    EXPECT_EQ(batch.images, step % 3 == 2 ? 2 : 4);
    place = step % 3 == 2 ? 0 : place + batch.images;
  }
}

TEST(Sampler, PermutationsHoldEverySampleAndDiffer) {
  auto first = permutation(7, 0, 1000);
  EXPECT_EQ(first, permutation(7, 0, 1000));
  EXPECT_NE(first, permutation(7, 1, 1000));
  EXPECT_NE(first, permutation(8, 0, 1000));
  EXPECT_NE(permutation(7, 1, 1000), permutation(8, 0, 1000));
  EXPECT_FALSE(std::is_sorted(first.begin(), first.end()));
  std::sort(first.begin(), first.end());
  for (std::uint32_t i = 0; i < 1000; ++i) EXPECT_EQ(first[i], i);
  EXPECT_EQ(permutation(7, 3, 1), std::vector<std::uint32_t>{0});
}

TEST(Sampler, EveryPlaceComesFirstAboutAsOften) {
  std::vector<int> first(10, 0);
  for (std::int64_t epoch = 0; epoch < 5000; ++epoch) ++first[permutation(1, epoch, 10)[0]];
  for (const int count : first) {
    EXPECT_LT(400, count);
    EXPECT_LT(count, 600);
  }
}

TEST(Sampler, SharesAreContiguousAndBalanced) {
  for (std::int64_t images = 0; images < 20; ++images) {
    for (int size = 1; size < 8; ++size) {
      std::int64_t next = 0, longest = 0, shortest = images;
      for (int position = 0; position < size; ++position) {
        const Share share = share_of(images, size, position);
        EXPECT_EQ(share.first, next);
        next += share.count;
        longest = std::max(longest, share.count);
        shortest = std::min(shortest, share.count);
      }
      EXPECT_EQ(next, images);
      EXPECT_LE(longest - shortest, 1);
    }
  }
}

TEST(SamplerDeathTest, RefusesImpossibleMemberships) {
  EXPECT_DEATH(share_of(4, 2, 2), "position < size");
  EXPECT_DEATH(batch_of_step(-1, 10, 4), "0 <= step");
}

}  // namespace
}  // namespace ringmaster::training
