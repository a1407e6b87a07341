// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/check.h"
#include "jobs/core/handlers.h"

namespace ringmaster::jobs {

void on_rank_ready(State& state, Time now, const RankReady& event, Actions&) {
  RankRecord* rank = state.find(event.id);
  if (rank == nullptr || rank->state == RankState::stopping) return;
  Job& job = state.jobs.at(event.id.job);
  CHECK_LE(kNoState, event.steps);
  // Said before the table of this generation arrived: it will enter, and leave when that is over.
  const bool inside = rank->state == RankState::member || rank->state == RankState::leaving;
  if (inside && event.left < job.table.generation) return;
  rank->steps = event.steps;
  rank->has_state = event.steps != kNoState;
  if (event.steps > 0) job.state_exists = true;
  if (rank->state == RankState::ready) return;
  if (rank->state == RankState::starting) rank->enter(RankState::started, now);
  // A member that leaves although nobody was lost: its program gave up on a collective.
  if (rank->state == RankState::member) {
    break_generation(job, now, fmt::format("rank {} left", event.id.rank.value));
  }
  rank->enter(RankState::ready, now);
}

}  // namespace ringmaster::jobs
