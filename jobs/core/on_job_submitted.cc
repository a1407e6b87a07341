// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"
#include "jobs/core/handlers.h"

namespace ringmaster::jobs {

void on_job_submitted(State& state, Time now, const JobSubmitted& event, Actions&) {
  const JobSpec& spec = event.spec;
  CHECK_LT(state.last_job, event.job);
  CHECK_LE(1, spec.ranks_min);
  CHECK_LE(spec.ranks_min, spec.ranks_max);
  CHECK_LE(0, spec.restarts);
  CHECK(!spec.whole || spec.ranks_min == spec.ranks_max);
  state.last_job = event.job;
  Job& job = state.jobs[event.job];
  job.id = event.job;
  job.spec = spec;
  job.broken_since = now;
  job.reason = "submitted";
  for (int number = 0; number < spec.ranks_max; ++number) {
    RankRecord rank;
    rank.id = {event.job, Rank{number}, Incarnation{0}};
    rank.since = now;
    job.ranks.push_back(rank);
  }
}

}  // namespace ringmaster::jobs
