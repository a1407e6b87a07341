// SPDX-License-Identifier: Apache-2.0
//
// A rank's process runs, or could not be started.
#include <fmt/format.h>

#include "jobs/core/handlers.h"

namespace ringmaster::jobs {

void on_rank_started(State& state, Time now, const RankStarted& event, Actions&) {
  RankRecord* rank = state.find(event.id);
  if (rank == nullptr) return;
  rank->endpoint = event.endpoint;
  if (rank->state == RankState::starting) rank->enter(RankState::started, now);
}

void on_rank_start_failed(State& state, Time now, const RankStartFailed& event, Actions& actions) {
  RankRecord* rank = state.find(event.id);
  if (rank == nullptr) return;
  Job& job = state.jobs.at(event.id.job);
  const std::string why = fmt::format("start: {}", event.why);
  // The first gang: the command itself is wrong, and another try would say the same.
  if ((!job.formed() || job.spec.whole) && !job.outcome) {
    rank->enter(RankState::ended, now);
    stop_job(job, now, {JobState::failed, event.exit_code, event.why}, 15, actions);
    return;
  }
  if (!job.failure) {
    job.failure = Outcome{JobState::failed, event.exit_code,
                          fmt::format("rank {}: {}", event.id.rank.value, why)};
  }
  lose_rank(job, *rank, now, why, actions);
}

}  // namespace ringmaster::jobs
