// SPDX-License-Identifier: Apache-2.0
#include "jobs/core/handlers.h"

namespace ringmaster::jobs {

void on_stop_requested(State& state, Time now, const StopRequested& event, Actions& actions) {
  const auto found = state.jobs.find(event.job);
  if (found == state.jobs.end() || found->second.ended()) return;
  Job& job = found->second;
  stop_job(job, now, {JobState::cancelled, event.exit_code, event.why}, event.signal, actions);
  if (!event.now) return;
  job.kill_at.reset();
  for (RankRecord& rank : job.ranks) {
    if (rank.has_process()) kill_rank(rank, now, event.why, actions);
  }
}

}  // namespace ringmaster::jobs
