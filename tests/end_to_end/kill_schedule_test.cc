// SPDX-License-Identifier: Apache-2.0
//
// Ranks are killed at any moment: while they start, in a step, while the ring closes, while a
// replacement gets its state, at the end. Whatever happens, the job ends well, every sample counts
// once an epoch in the history of the final weights, and all ranks hold the same weights.
//
// RINGMASTER_KILL_SEED=N runs one schedule again.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <thread>

#include "base/random.h"
#include "base/sanitized.h"
#include "tests/end_to_end/ledger.h"
#include "tests/end_to_end/program.h"
#include "tests/end_to_end/training_data.h"

namespace ringmaster::tests {
namespace {

constexpr int kRanks = 4;
constexpr int kKillSchedulesEach = kSanitized ? 3 : 10;  // many times slower

/// One to three kills: at a random moment, or close behind the one before, when the ring re-forms.
void kill_ranks(const Program& program, Random& random) {
  const std::uint64_t kills = 1 + random.below(3);
  for (std::uint64_t turn = 0; turn < kills; ++turn) {
    const bool close_behind = turn > 0 && random.chance(0.5);
    const auto pause = std::chrono::microseconds(random.below(close_behind ? 6000 : 400000));
    std::this_thread::sleep_for(pause);
    const pid_t pid = program.pid_of_rank(static_cast<int>(random.below(kRanks)));
    if (pid > 0) kill(pid, SIGKILL);
  }
}

void check_run(const Ended& ended, const std::string& metrics_path) {
  ASSERT_FALSE(ended.timed_out) << ended.error;
  ASSERT_EQ(ended.exit_code, 0) << ended.output << ended.error;
  expect_whole_run(metrics_path);
}

void run_schedule(std::uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed) + " (RINGMASTER_KILL_SEED replays it)");
  TemporaryFolder folder;
  const std::string metrics = folder.file("metrics.jsonl");
  Program program({"ringrun", "-np", std::to_string(kRanks), "--elastic", "2:4",
                   built("ringmaster-train"), "--model", "tiny", "--data", data_folder(), "--batch",
                   "24", "--epochs", "12", "--metrics", metrics});
  Random random(seed);
  kill_ranks(program, random);
  const Ended ended = program.wait();
  EXPECT_TRUE(program.leaves_nothing());
  check_run(ended, metrics);
}

/// 200 schedules (fewer under a sanitizer) in 20 tests, so that they run beside each other.
class KillSchedule : public testing::TestWithParam<int> {};

TEST_P(KillSchedule, NothingIsLostAndEverySampleCountsOnce) {
  if (const char* one = std::getenv("RINGMASTER_KILL_SEED"); one != nullptr) {
    run_schedule(std::strtoull(one, nullptr, 10));
    return;
  }
  for (int turn = 0; turn < kKillSchedulesEach && !HasFatalFailure(); ++turn) {
    run_schedule(static_cast<std::uint64_t>(GetParam() * kKillSchedulesEach + turn));
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, KillSchedule, testing::Range(0, 20));

}  // namespace
}  // namespace ringmaster::tests
