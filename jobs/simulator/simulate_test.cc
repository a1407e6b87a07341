// SPDX-License-Identifier: Apache-2.0
#include "jobs/simulator/simulate.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>

#include <chrono>
#include <cstdio>

namespace ringmaster::jobs::simulator {
namespace {

constexpr std::uint64_t kSeeds = 1000;
constexpr std::int64_t kShown = 5;  // failing seeds; one bug breaks many

std::uint64_t current_seed = 0;

/// A CHECK aborts: the seed must be known even then.
void print_seed_on_abort(int) {
  std::fprintf(stderr, "aborted in seed %llu\n", static_cast<unsigned long long>(current_seed));
}

SimulationOutcome run(std::uint64_t seed, const SimulationOptions& options = {}) {
  current_seed = seed;
  return simulate(seed, options);
}

TEST(Simulation, AThousandSeedsKeepEveryPromise) {
  ::signal(SIGABRT, print_seed_on_abort);
  Coverage coverage;
  std::int64_t failed = 0;
  double simulated_seconds = 0;
  const auto start = std::chrono::steady_clock::now();
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const SimulationOutcome outcome = run(seed);
    coverage.add(outcome.coverage);
    simulated_seconds += outcome.simulated_seconds;
    if (outcome.passed()) continue;
    if (++failed <= kShown)
      ADD_FAILURE() << outcome.violation << "\n  " << replay_command(seed, PlantedBug::none);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::printf("%s%.0f seeds a second, %.0f times faster than life\n", table(coverage).c_str(),
              static_cast<double>(kSeeds) / took.count(), simulated_seconds / took.count());
  for (const auto& line : coverage.lines()) EXPECT_LT(0, line.times) << line.name << " never was";
  EXPECT_EQ(failed, 0);
}

TEST(Simulation, ASeedReplays) {
  const SimulationOptions options = {.trace = true};
  EXPECT_EQ(run(7, options).trace, run(7, options).trace);
  EXPECT_NE(run(7, options).trace, run(8, options).trace);
  EXPECT_FALSE(run(7, options).trace.empty());
}

TEST(Simulation, ACoordinatorCrashBeforeAnyActionChangesNoPromise) {
  constexpr std::uint64_t kLives = 200;
  std::int64_t points = 0;
  for (std::uint64_t seed = 0; seed < kLives; ++seed) {
    const std::int64_t actions = run(seed).actions;
    for (std::int64_t at = 0; at < actions; ++at, ++points) {
      const SimulationOutcome outcome = run(seed, {.crash_at = at});
      ASSERT_TRUE(outcome.passed()) << outcome.violation << "\n  seed " << seed
                                    << ", before action " << at << " of " << actions;
    }
  }
  std::printf("%lld crash points in %llu lives\n", static_cast<long long>(points),
              static_cast<unsigned long long>(kLives));
  EXPECT_LT(1000, points);
}

/// A planted bug and the promise that it breaks.
struct Planted {
  PlantedBug bug;
  const char* violation;
};

class PlantedBugs : public testing::TestWithParam<Planted> {};

TEST_P(PlantedBugs, AreFound) {
  const SimulationOptions options = {.bug = GetParam().bug};
  const auto is_found = [](const SimulationOutcome& outcome) {
    return outcome.violation.find(GetParam().violation) != std::string::npos;
  };
  std::uint64_t seed = 0;
  SimulationOutcome outcome = run(seed, options);
  while (!is_found(outcome) && ++seed < kSeeds) outcome = run(seed, options);
  ASSERT_LT(seed, kSeeds) << bug_name(GetParam().bug) << " was not found";
  EXPECT_TRUE(run(seed).passed()) << "the seed fails without the bug as well";
  std::printf("%s: %s\n  %s\n", bug_name(GetParam().bug), outcome.violation.c_str(),
              replay_command(seed, GetParam().bug).c_str());
}

INSTANTIATE_TEST_SUITE_P(
    All, PlantedBugs,
    testing::Values(Planted{PlantedBug::early_exit_report, " forms while rank "},
                    Planted{PlantedBug::lowest_position, " lives and has finished "},
                    Planted{PlantedBug::duplicate_start, " starts as process "},
                    Planted{PlantedBug::dropped_start, "nothing more will happen"}),
    [](const auto& planted) { return bug_name(planted.param.bug); });

}  // namespace
}  // namespace ringmaster::jobs::simulator
