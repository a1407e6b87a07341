// SPDX-License-Identifier: Apache-2.0
#include "collectives/tcp/roll_call.h"

#include <gtest/gtest.h>

namespace ringmaster::collectives {
namespace {

TEST(RollCall, NamesTheNearestOneBeforeThatIsMissing) {
  RollCall all(10, 4);
  EXPECT_EQ(all.missing(), 3);
  EXPECT_TRUE(all.add_self());
  EXPECT_FALSE(all.add_self());
  for (const int here : {3, 2, 9}) {
    RollCall other(10, here);
    other.add_self();
    EXPECT_TRUE(all.add(other.bits().data(), other.bits().size()));
    EXPECT_FALSE(all.add(other.bits().data(), other.bits().size()));
  }
  EXPECT_EQ(all.missing(), 1);
  for (const int here : {0, 1, 5, 6, 7, 8}) {
    RollCall other(10, here);
    other.add_self();
    all.add(other.bits().data(), other.bits().size());
  }
  EXPECT_FALSE(all.missing());
}

TEST(RollCall, TakesNoMoreThanThereIsRoomFor) {
  RollCall all(3, 0);
  const std::vector<std::byte> many(512, std::byte{0xff});
  EXPECT_TRUE(all.add(many.data(), many.size()));
  EXPECT_EQ(all.bits().size(), 1U);
  EXPECT_FALSE(all.missing());
}

}  // namespace
}  // namespace ringmaster::collectives
