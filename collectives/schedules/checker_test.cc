// SPDX-License-Identifier: Apache-2.0
#include "collectives/schedules/checker.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "base/sanitized.h"

namespace ringmaster::collectives::schedules {
namespace {

constexpr Operation kPlannedOperations[] = {Operation::all_reduce, Operation::reduce_scatter,
                                            Operation::all_gather, Operation::all_to_all,
                                            Operation::broadcast,  Operation::barrier};

/// Every plan for so many ranks, with one root and number of segments.
template <class Each>
void each_plan(int ranks, int root, int segments, const Each& each) {
  for (const Operation operation : kPlannedOperations) {
    for (const Algorithm algorithm : algorithms_of(operation)) {
      for (const bool tokens : {false, true}) {
        each(Plan{operation, algorithm, ranks, root, segments, tokens});
      }
    }
  }
}

TEST(Checker, AcceptsEveryPlanUpTo64Ranks) {
  int plans = 0;
  for (int ranks = 1; ranks <= kCheckedRanksMax; ++ranks) {
    if (kSanitized && ranks > 12 && ranks != 33) continue;
    const int segments = 1 + ranks % 5;
    each_plan(ranks, (ranks * 7) % ranks, segments, [&](const Plan& plan) {
      const auto checked = check(plan);
      EXPECT_TRUE(checked.ok()) << checked.error().message;
      ++plans;
    });
  }
  EXPECT_EQ(plans, (kSanitized ? 13 : 64) * 12 * 2);
}

std::vector<Steps> all_steps(const Plan& plan) {
  std::vector<Steps> steps;
  for (int position = 0; position < plan.ranks; ++position) {
    steps.push_back(steps_of(plan, position));
  }
  return steps;
}

/// Damages the steps in one way; false: there was nothing to damage in that way.
bool damage(std::vector<Steps>& all, int way, Random& random) {
  Steps& steps = all[random.below(all.size())];
  if (steps.empty()) return false;
  const auto at = static_cast<std::ptrdiff_t>(random.below(steps.size()));
  Step& step = steps[static_cast<std::size_t>(at)];
  if (way == 0) {  // dropped
    steps.erase(steps.begin() + at);
    return true;
  }
  if (way == 1) {  // to the wrong peer
    step.peer = (step.peer + 1) % static_cast<int>(all.size());
    return all.size() > 2;
  }
  if (way == 2) {  // swapped with the next one on its link that moves other blocks
    for (auto next = steps.begin() + at + 1; next != steps.end(); ++next) {
      const bool same_link = next->peer == step.peer &&
                             (next->action == Action::send) == (step.action == Action::send);
      if (!same_link) continue;
      if (next->first == step.first && next->blocks == step.blocks) return false;
      std::swap(step, *next);
      return true;
    }
    return false;
  }
  if (step.action != Action::reduce) return false;
  if (way == 3) {  // reduced twice: at both ends
    for (Steps& others : all) {
      for (auto other = others.begin(); &others != &steps && other != others.end(); ++other) {
        const bool sends = other->action == Action::send && other->first == step.first &&
                           other->blocks == step.blocks &&
                           &all[static_cast<std::size_t>(other->peer)] == &steps &&
                           &all[static_cast<std::size_t>(step.peer)] == &others;
        if (!sends) continue;
        others.insert(other, *other);
        steps.insert(steps.begin() + at, steps[static_cast<std::size_t>(at)]);
        return true;
      }
    }
    return false;
  }
  if (way == 4) step.action = Action::receive;
  if (way == 5) step.complete = !step.complete;
  return true;
}

TEST(Checker, RejectsEveryDamagedPlan) {
  int damaged = 0;
  for (std::uint64_t seed = 0; seed < (kSanitized ? 10 : 60); ++seed) {
    Random random(seed);
    const int ranks = 2 + static_cast<int>(random.below(14));
    const int segments = 1 + static_cast<int>(random.below(4));
    each_plan(ranks, 1, segments, [&](const Plan& plan) {
      for (int way = 0; way < 6; ++way) {
        auto steps = all_steps(plan);
        if (!damage(steps, way, random)) continue;
        ++damaged;
        EXPECT_FALSE(check_steps(plan, steps).ok())
            << name_of(plan.operation) << " by " << name_of(plan.algorithm) << ", " << ranks
            << " ranks, damaged in way " << way << ", seed " << seed;
      }
    });
  }
  EXPECT_GT(damaged, kSanitized ? 300 : 2000);
}

// Both send first and receive afterwards, which only buffers could carry through.
TEST(Checker, FindsADeadlock) {
  const Plan plan{Operation::all_gather, Algorithm::ring, 2};
  std::vector<Steps> steps = all_steps(plan);
  ASSERT_TRUE(check_steps(plan, steps).ok());
  // 0 waits for block 1 before it hands out block 0, and 1 the other way round.
  for (Steps& one : steps)
    one.insert(one.begin(), Step{Action::receive, one[0].peer, one[0].first, 1});
  const auto checked = check_steps(plan, steps);
  ASSERT_FALSE(checked.ok());
  EXPECT_NE(checked.error().message.find("waits for ever"), std::string::npos);
}

TEST(Plan, TheRingReducesInTheOrderOfPositionsFromTheBlocksOwn) {
  const Plan plan{Operation::all_reduce, Algorithm::ring, 4};
  const Steps steps = steps_of(plan, 1);
  ASSERT_EQ(steps.size(), 12U);
  EXPECT_EQ(steps[0], (Step{Action::send, 2, 1, 1}));
  EXPECT_EQ(steps[1], (Step{Action::reduce, 0, 0, 1, true, false}));
  EXPECT_EQ(steps[5], (Step{Action::reduce, 0, 2, 1, true, true}));
  EXPECT_EQ(steps[7], (Step{Action::receive, 0, 1, 1}));
}

TEST(Plan, NamesAreReadAsTheyAreWritten) {
  for (const Operation operation : kPlannedOperations) {
    EXPECT_EQ(operation_named(name_of(operation)), operation);
    for (const Algorithm algorithm : algorithms_of(operation)) {
      EXPECT_EQ(algorithm_named(name_of(algorithm)), algorithm);
    }
  }
  EXPECT_FALSE(algorithm_named("rings"));
}

}  // namespace
}  // namespace ringmaster::collectives::schedules
