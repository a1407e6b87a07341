// SPDX-License-Identifier: Apache-2.0
//
// A core with one host and one job, and short words for what happens to its ranks: for tests.
#pragma once

#include <gtest/gtest.h>

#include <csignal>
#include <optional>

#include "jobs/core/core.h"
#include "jobs/core/invariants.h"

namespace ringmaster::jobs {

class Story {
 public:
  explicit Story(JobSpec spec) {
    step(HostJoined{HostId{1}, "a", 8});
    step(JobSubmitted{JobId{1}, spec});
  }
  Actions step(const Event& event) {
    now_ += std::chrono::milliseconds(1);
    Actions actions = core_.step(now_, event);
    for (const auto& violation : invariants_.check(core_.state(), actions)) {
      ADD_FAILURE() << violation;
    }
    for (const Action& action : actions) {
      if (const auto* ended = std::get_if<EndJob>(&action)) end_ = *ended;
    }
    return actions;
  }
  Actions wait(Duration duration) {
    now_ += duration;
    return step(TimerExpired{});
  }
  const Job& job() const { return core_.state().jobs.at(JobId{1}); }
  const RankRecord& rank(int number) const { return job().ranks[static_cast<std::size_t>(number)]; }
  RankId id(int number) const { return rank(number).id; }
  std::int64_t generation() const { return job().table.generation.value; }
  std::size_t members() const { return job().table.members.size(); }

  void ready(int number, std::int64_t steps = kNoState) {
    if (rank(number).state == RankState::starting) step(RankStarted{id(number)});
    step(RankReady{id(number), steps, job().table.generation});
  }
  Actions exit(int number, ExitStatus status) {
    return step(RankExited{id(number), status, kNoState});
  }
  /// All ranks join and hold `steps` steps.
  void run(int ranks, std::int64_t steps = 0) {
    for (int number = 0; number < ranks; ++number) ready(number);
    for (int number = 0; number < ranks; ++number) {
      step(RankSynced{id(number), job().table.generation, steps, Rank{0}});
    }
  }
  const std::optional<EndJob>& end() const { return end_; }
  const Core& core() const { return core_; }

 private:
  Core core_;
  Invariants invariants_;
  Time now_;
  std::optional<EndJob> end_;
};

inline JobSpec elastic(int ranks_min, int ranks_max, int restarts = 10) {
  return {.name = "test", .ranks_min = ranks_min, .ranks_max = ranks_max, .restarts = restarts};
}
inline constexpr ExitStatus kKilled = {0, SIGKILL};

template <class T>
int count(const Actions& actions) {
  int found = 0;
  for (const Action& action : actions) found += std::holds_alternative<T>(action) ? 1 : 0;
  return found;
}

}  // namespace ringmaster::jobs
