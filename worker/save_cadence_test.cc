// SPDX-License-Identifier: Apache-2.0
#include "worker/save_cadence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "base/random.h"

namespace ringmaster::worker {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Ranks in step with each other, of which one decides. Their clocks are apart.
struct Ring {
  explicit Ring(std::size_t size) : members(size) {}

  void begin(const SavePolicy& policy) {
    for (std::size_t i = 0; i < members.size(); ++i) members[i].begin(policy, steps, clock(i));
  }
  /// One step of all; whether it is saved.
  bool step(Duration takes, bool asked = false) {
    now += takes;
    ++steps;
    bool saved = members[0].due_by_steps(steps);
    const bool check = members[source].check_due(steps);
    SaveVerdict verdict;
    if (check) verdict = members[source].decide(steps, clock(source), asked);
    for (std::size_t i = 0; i < members.size(); ++i) {
      EXPECT_EQ(members[i].check_due(steps), check) << "a rank waits for a broadcast alone";
      if (check) members[i].follow(verdict, steps, clock(i));
    }
    checks += check ? 1 : 0;
    saved = saved || verdict.save != 0;
    for (std::size_t i = 0; saved && i < members.size(); ++i) members[i].saved(clock(i));
    return saved;
  }
  Time clock(std::size_t member) const { return now + seconds(100 * member); }

  std::vector<SaveCadence> members;
  std::size_t source = 0;
  Time now;
  std::int64_t steps = 0;
  int checks = 0;
};

TEST(SaveCadence, EverySoManyStepsNeedsNoClock) {
  Ring ring(3);
  ring.begin({.every = 4});
  std::vector<std::int64_t> saved;
  for (int i = 0; i < 13; ++i) {
    if (ring.step(milliseconds(1))) saved.push_back(ring.steps);
  }
  EXPECT_EQ(saved, (std::vector<std::int64_t>{4, 8, 12}));
}

TEST(SaveCadence, WithoutAPolicyNothingIsCheckedOrSaved) {
  Ring ring(2);
  ring.begin({});
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(ring.step(seconds(10)));
  EXPECT_EQ(ring.checks, 0);
}

// Whatever the pace of the steps: a save comes within a step and an eighth of the period of its
// time, and a check about every second.
TEST(SaveCadence, APeriodIsKeptAtAnyPace) {
  for (const Duration pace :
       {Duration(20'000), Duration(milliseconds(10)), Duration(milliseconds(70)),
        Duration(seconds(2)), Duration(seconds(45))}) {
    Ring ring(2);
    const Duration period = pace < milliseconds(1) ? milliseconds(300) : milliseconds(30'000);
    ring.begin({.period = period});
    Time last = ring.now;
    int saves = 0;
    while (ring.now < Time(10 * period)) {
      if (!ring.step(pace)) continue;
      EXPECT_LE(ring.now - last, period + pace + period / 8);
      EXPECT_GE(ring.now - last, std::min(period, pace) - pace);
      last = ring.now;
      ++saves;
    }
    EXPECT_GE(saves, pace > period ? 6 : 9) << "a pace of " << to_seconds(pace) << " s";
    EXPECT_LE(ring.checks, 300 + 10 * 20) << "a pace of " << to_seconds(pace) << " s";
  }
}

TEST(SaveCadence, AWishIsHeardWithinAboutASecondOfQuickSteps) {
  Ring ring(3);
  ring.begin({.every = 1'000'000});
  while (ring.now < Time(seconds(20))) ring.step(milliseconds(2));
  const Time asked = ring.now;
  while (!ring.step(milliseconds(2), true)) ASSERT_LT(ring.now - asked, seconds(3));
  EXPECT_LE(ring.now - asked, milliseconds(1100));
}

// Losses that come faster than the period: each generation begins anew, the time does not.
TEST(SaveCadence, LossesInARowDoNotPutOffASaveForEver) {
  Ring ring(3);
  const SavePolicy policy = {.period = seconds(30)};
  int saves = 0;
  for (int loss = 0; loss < 20; ++loss) {
    ring.members[static_cast<std::size_t>(loss) % 3] = SaveCadence();  // its replacement
    ring.source = static_cast<std::size_t>(loss + 1) % 3;              // a survivor
    ring.begin(policy);
    const Time until = ring.now + seconds(10);
    while (ring.now < until) saves += ring.step(milliseconds(100)) ? 1 : 0;
  }
  EXPECT_GE(saves, 3);
}

TEST(SaveCadence, AnyPaceKeepsTheRanksInStep) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    Ring ring(1 + random.below(4));
    const SavePolicy policy = {.every = static_cast<std::int64_t>(random.below(50)),
                               .period = milliseconds(random.below(5000))};
    for (int generation = 0; generation < 5; ++generation) {
      ring.source = random.below(ring.members.size());
      ring.begin(policy);
      const Duration pace = milliseconds(1 + random.below(400));
      for (std::uint64_t i = random.below(300); i > 0; --i) {
        const bool slow = random.chance(0.01);  // an evaluation comes in between
        ring.step(slow ? 50 * pace : pace, random.chance(0.02));
      }
    }
  }
}

}  // namespace
}  // namespace ringmaster::worker
