// SPDX-License-Identifier: Apache-2.0
//
// Ranks, agents, whole hosts, the coordinator itself and all of them are killed at any moment,
// several at once. Whatever happens, the job ends; when it is done, every sample counts once an
// epoch in the history of the final weights; it fails only when no rank that held the state was
// left, and no checkpoint; and nothing of it stays. Every second job saves its state.
//
// RINGMASTER_KILL_SEED=N runs one schedule again.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "base/random.h"
#include "base/sanitized.h"
#include "tests/end_to_end/coordinator.h"
#include "tests/end_to_end/ledger.h"
#include "tests/end_to_end/text.h"
#include "tests/end_to_end/training_data.h"

namespace ringmaster::tests {
namespace {

constexpr int kTests = 20;
constexpr int kSchedulesEach = kSanitized ? 1 : 10;  // many times slower

void kill_one_of(const std::vector<pid_t>& pids, Random& random) {
  if (!pids.empty()) ::kill(pids[random.below(pids.size())], SIGKILL);
}

/// All that holds the state, in one instant; sometimes with the coordinator.
void strike_everything(Coordinator& coordinator, Random& random) {
  if (random.chance(0.3)) coordinator.kill();
  for (const auto& host : coordinator.agents()) {
    for (const pid_t pid : host) ::kill(pid, SIGKILL);
  }
  for (const pid_t pid : coordinator.ranks()) ::kill(pid, SIGKILL);
}

void strike(Coordinator& coordinator, Random& random) {
  const std::uint64_t kind = random.below(11);
  if (kind == 10) return strike_everything(coordinator, random);
  if (kind < 4) return kill_one_of(coordinator.ranks(), random);
  if (kind < 7) return coordinator.kill();
  const auto agents = coordinator.agents();
  if (agents.empty()) return;
  const auto& host = agents[random.below(agents.size())];
  if (kind < 9) return kill_one_of(host, random);  // the agent or its guard
  for (const pid_t pid : host) ::kill(pid, SIGKILL);
}

void pause_up_to(Random& random, std::uint64_t microseconds) {
  std::this_thread::sleep_for(std::chrono::microseconds(random.below(microseconds)));
}

/// One to four faults, some in the same instant; a coordinator that was killed comes back soon.
void strike_all(Coordinator& coordinator, Random& random) {
  const std::uint64_t faults = 1 + random.below(4);
  for (std::uint64_t turn = 0; turn < faults; ++turn) {
    if (!random.chance(0.3)) pause_up_to(random, 700'000);
    strike(coordinator, random);
  }
  if (coordinator.runs()) return;
  pause_up_to(random, 300'000);
  coordinator.start();
}

/// The spec's part on checkpoints: every second job has one, by steps or by time.
std::string checkpoints(const Coordinator& coordinator, std::uint64_t seed) {
  if (seed % 2 == 0) return "";
  const std::string store = coordinator.file("store");
  std::filesystem::create_directories(store);
  return "checkpoint: {to: \"file://" + store +
         "\", every: " + (seed % 4 == 1 ? "15 steps" : "150ms") + "}\n";
}

/// Whether the job was done (and not lost with all that held its state).
bool run_schedule(Coordinator& coordinator, std::uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed) + " (RINGMASTER_KILL_SEED replays it)");
  const std::string metrics = coordinator.file("metrics-" + std::to_string(seed) + ".jsonl");
  const std::string name = "job-" + std::to_string(seed);
  const std::string spec =
      coordinator.write_spec(name, "{min: 1, max: 4}", "{hosts: 2, slots: 2}",
                             {built("ringmaster-train"), "--model", "tiny", "--data", data_folder(),
                              "--batch", "24", "--epochs", "12", "--metrics", metrics},
                             "limits: {restarts: 100}\n" + checkpoints(coordinator, seed));
  const Ended submitted = coordinator.run({"submit", spec});
  EXPECT_EQ(submitted.exit_code, 0) << submitted.error;
  Random random(seed);
  strike_all(coordinator, random);
  const Ended followed = coordinator.run({"logs", "-f", name});
  if (followed.timed_out) {
    ADD_FAILURE() << "the job does not end\n"
                  << followed.error << coordinator.log()
                  << coordinator.run({"status", name, "--json"}).output
                  << run_shell("ps -eo pid,ppid,stat,wchan:24,etimes,args").output;
  }
  EXPECT_TRUE(coordinator.no_hosts_left()) << coordinator.log();
  if (contains(followed.error, "no rank that held the state is left")) {
    const std::string status = coordinator.run({"status", name, "--json"}).output;
    EXPECT_FALSE(contains(status, "durable_step")) << "given up with a checkpoint: " << status;
    return false;
  }
  EXPECT_EQ(followed.exit_code, 0) << followed.output << followed.error << coordinator.log();
  if (followed.exit_code == 0) expect_whole_run(metrics);
  return true;
}

class CoordinatorSchedule : public testing::TestWithParam<int> {};

TEST_P(CoordinatorSchedule, NoFinishedStepIsLostAndNothingStays) {
  Coordinator coordinator;
  ASSERT_NO_FATAL_FAILURE(coordinator.start());
  if (const char* one = std::getenv("RINGMASTER_KILL_SEED"); one != nullptr) {
    run_schedule(coordinator, std::strtoull(one, nullptr, 10));
    return;
  }
  int done = 0;
  for (int turn = 0; turn < kSchedulesEach && !HasFailure(); ++turn) {
    const auto seed = static_cast<std::uint64_t>(GetParam() * kSchedulesEach + turn);
    done += run_schedule(coordinator, seed) ? 1 : 0;
  }
  std::printf("%d of %d jobs were done, the others had lost all that held their state\n", done,
              kSchedulesEach);
  EXPECT_LT(0, done);
}

INSTANTIATE_TEST_SUITE_P(Seeds, CoordinatorSchedule, testing::Range(0, kTests));

}  // namespace
}  // namespace ringmaster::tests
