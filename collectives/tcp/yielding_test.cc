// SPDX-License-Identifier: Apache-2.0
#include "collectives/tcp/yielding.h"

#include <gtest/gtest.h>

namespace ringmaster::collectives {
namespace {

constexpr Duration kQuick = std::chrono::microseconds(2);

/// Waits that sleep at once before one that yields.
int sleeping_waits(Yielding& yielding, Time now) {
  for (int waits = 0;; ++waits) {
    yielding.begin(now);
    if (yielding.may(now)) return waits;
    if (waits > Yielding::kSleepsMost) return waits;
  }
}

TEST(Yielding, EndsInTime) {
  Yielding yielding;
  const Time begin = read_clock();
  yielding.begin(begin);
  while (yielding.yield()) ASSERT_LT(read_clock() - begin, std::chrono::seconds(20));
  EXPECT_GT(read_clock() - begin, Duration{0});
  EXPECT_FALSE(yielding.yield());
}

TEST(Yielding, ASlowYieldMakesTheNextWaitsSleepAndTwiceAsManyTheNextTime) {
  Yielding yielding;
  const Time now = read_clock();
  const auto meet_a_stranger = [&] {
    yielding.took(now, now + 2 * Yielding::kSlow);
    EXPECT_FALSE(yielding.may(now));  // this one sleeps, too
  };
  EXPECT_EQ(sleeping_waits(yielding, now), 0);
  for (int sleeps = Yielding::kSleepsLeast; sleeps < Yielding::kSleepsMost; sleeps *= 2) {
    meet_a_stranger();
    EXPECT_EQ(sleeping_waits(yielding, now), sleeps);
  }
  for (int more = 0; more < 3; ++more) {
    meet_a_stranger();
    EXPECT_EQ(sleeping_waits(yielding, now), Yielding::kSleepsMost);
  }
  for (int wait = 0; wait < Yielding::kGoodWaits; ++wait) {
    yielding.begin(now);
    yielding.took(now, now + kQuick);
    yielding.moved();
  }
  meet_a_stranger();
  EXPECT_EQ(sleeping_waits(yielding, now), Yielding::kSleepsLeast);
}

}  // namespace
}  // namespace ringmaster::collectives
