// SPDX-License-Identifier: Apache-2.0
#include "collectives/tcp/slices.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace ringmaster::collectives {
namespace {

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
