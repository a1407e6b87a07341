// SPDX-License-Identifier: Apache-2.0
#include "jobs/core/handlers.h"

namespace ringmaster::jobs {

void on_rank_finished(State& state, Time, const RankFinished& event, Actions&) {
  RankRecord* rank = state.find(event.id);
  if (rank == nullptr) return;
  Job& job = state.jobs.at(event.id.job);
  if (event.generation != job.table.generation) {
    ++state.dropped_events;
    return;
  }
  rank->finished = true;
  job.finishing = true;
}

}  // namespace ringmaster::jobs
