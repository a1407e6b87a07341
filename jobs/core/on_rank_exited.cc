// SPDX-License-Identifier: Apache-2.0
//
// A rank's process ended; what it said of its own failure comes just before.
#include <fmt/format.h>

#include <algorithm>

#include "jobs/core/handlers.h"

namespace ringmaster::jobs {

namespace {

/// A loss that elastic jobs survive, as against an error that every other process would repeat: a
/// program that ends with a code before the first ring was formed does not like its arguments.
bool survivable(const Job& job, const ExitStatus& status) {
  return job.spec.elastic() && (status.signal != 0 || job.formed());
}

/// The same words a second time and no step finished in between: a replacement would say them, too
/// (a full disk, a file that it may not write).
bool repeats(Job& job, const RankRecord& rank, std::int64_t steps) {
  if (rank.words.empty()) return false;
  const bool again = rank.words == job.said && steps <= job.said_steps;
  job.said = rank.words;
  job.said_steps = std::max(steps, std::int64_t{0});
  return again;
}

void on_success(Job& job, RankRecord& rank, Time now) {
  rank.succeeded = true;
  if (rank.state == RankState::member && !rank.finished && others_wait(job, rank)) {
    break_generation(job, now, fmt::format("rank {} ended", rank.id.rank.value));
  }
  rank.enter(RankState::ended, now);
}

}  // namespace

void on_rank_failed(State& state, Time, const RankFailed& event, Actions&) {
  RankRecord* rank = state.find(event.id);
  if (rank != nullptr) rank->words = event.message;
}

void on_rank_exited(State& state, Time now, const RankExited& event, Actions& actions) {
  RankRecord* rank = state.find(event.id);
  if (rank == nullptr) return;
  Job& job = state.jobs.at(event.id.job);
  // What one that we killed still held of a history that was left has been given up already.
  if (event.steps > 0 && rank->synced >= job.saves.since) job.state_exists = true;
  const bool ours = rank->state == RankState::stopping;  // it ends because we said so
  if (event.status.success() && !(ours && !job.outcome)) {
    on_success(job, *rank, now);
    return;
  }
  if (ours && (job.outcome || !job.again.empty())) {
    rank->enter(RankState::ended, now);
    return;
  }
  if (rank->moving) {  // it left a host that is reclaimed, by our order: no restart is used
    rank->moving = false;
    rank->has_state = false;
    rank->steps = kNoState;
    rank->enter(job.finishing ? RankState::ended : RankState::absent, now);
    return;
  }
  std::string why = rank->words.empty() ? describe(event.status) : rank->words;
  if (rank->words.empty() && !event.why.empty()) why += ": " + event.why;
  Outcome failure = {JobState::failed, event.status.outward(),
                     fmt::format("rank {}: {}", rank->id.rank.value, why)};
  if (job.spec.whole && !job.finishing && job.restarts_used < job.spec.restarts) {
    rank->enter(RankState::ended, now);
    will_start_again(job, now, failure, actions);
    return;
  }
  if (job.spec.whole && job.spec.restarts > 0) {
    failure.reason += fmt::format("; all {} restarts are used up", job.spec.restarts);
  }
  const bool failed_at_end = !ours && job.finishing && event.status.signal == 0;
  const bool hopeless = repeats(job, *rank, event.steps) || !survivable(job, event.status);
  if (failed_at_end || (!ours && !job.finishing && hopeless)) {
    rank->enter(RankState::ended, now);
    stop_job(job, now, failure, 15, actions);
    return;
  }
  if (event.steps > 0) why += fmt::format(" after {} steps", event.steps);
  if (!job.failure) job.failure = failure;
  lose_rank(job, *rank, now, why, actions);
}

}  // namespace ringmaster::jobs
