// SPDX-License-Identifier: Apache-2.0
//
// Jobs whose ranks know nothing of generations: the loss of one ends all, and all start again.
#include <fmt/format.h>

#include <csignal>

#include "jobs/core/handlers.h"

namespace ringmaster::jobs {

void will_start_again(Job& job, Time now, const Outcome& failure, Actions& actions) {
  ++job.restarts_used;
  job.failure = failure;
  job.again = failure.reason;
  job.reason = fmt::format("{}; all ranks start again", failure.reason);
  job.kill_at = now + job.spec.grace;
  actions.push_back(Report{job.id, fmt::format("{}, restart {} of {}", job.reason,
                                               job.restarts_used, job.spec.restarts)});
}

void start_again(Job& job, Time now, Actions& actions) {
  bool gone = true;
  for (RankRecord& rank : job.ranks) {
    if (!rank.has_process()) continue;
    gone = false;
    if (rank.state == RankState::stopping) continue;
    rank.enter(RankState::stopping, now);
    rank.signal = SIGTERM;
    actions.push_back(SignalRank{rank.id, SIGTERM, job.reason});
  }
  if (!gone) return;
  break_generation(job, now, job.again);  // whatever formed, the next one is another
  job.again.clear();
  job.failure.reset();
  job.kill_at.reset();
  job.state_exists = job.finishing = false;
  job.state = JobState::waiting;
  for (RankRecord& rank : job.ranks) {
    if (rank.state == RankState::ended) rank.enter(RankState::absent, now);
    rank.has_state = rank.finished = rank.succeeded = rank.moving = false;
    rank.steps = kNoState;
    rank.words.clear();
  }
}

}  // namespace ringmaster::jobs
