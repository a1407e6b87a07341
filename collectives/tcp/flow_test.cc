// SPDX-License-Identifier: Apache-2.0
#include "collectives/tcp/flow.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace ringmaster::collectives {
namespace {

TEST(Walk, CoversEveryStretchInOrder) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    std::vector<Stretch> steps(random.below(8));
    for (Stretch& step : steps) {
      step = {random.below(1000), random.chance(0.3) ? 0 : random.below(3 * kChunkBytes)};
    }
    Walk walk(steps);
    std::size_t chunks = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      for (std::size_t inside = 0; inside < steps[i].bytes; ++chunks) {
        ASSERT_FALSE(walk.done());
        const Chunk chunk = walk.chunk();
        EXPECT_EQ(chunk.step, i);
        EXPECT_EQ(chunk.index, chunks);
        EXPECT_EQ(chunk.begin, steps[i].begin + inside);
        ASSERT_TRUE(chunk.bytes > 0 && chunk.bytes <= kChunkBytes);
        inside += chunk.bytes;
        EXPECT_LE(inside, steps[i].bytes);
        walk.advance();
      }
    }
    EXPECT_TRUE(walk.done());
    EXPECT_EQ(walk.index(), chunks);
  }
}

TEST(SliceOf, PartsTheArray) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const int parts = 1 + static_cast<int>(random.below(9));
    const std::size_t count = random.below(random.chance(0.5) ? 700 : 1000000);
    std::size_t end = 0;
    for (int part = 0; part < parts; ++part) {
      const Stretch slice = slice_of(count, 4, part, parts);
      EXPECT_EQ(slice.begin, end);
      if (slice.bytes > 0) {
        EXPECT_EQ(slice.begin % 256, 0U);
      }
      end = slice.begin + slice.bytes;
      EXPECT_LE(slice.bytes, (count / static_cast<std::size_t>(parts) + 65) * 4);
    }
    EXPECT_EQ(end, count * 4);
  }
}

}  // namespace
}  // namespace ringmaster::collectives
