// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/check.h"
#include "jobs/core/handlers.h"

namespace ringmaster::jobs {

namespace {

/// Whether an earlier report of this generation has already told that it works.
bool first_of_generation(const Job& job) {
  for (const RankRecord& rank : job.ranks) {
    if (rank.state == RankState::member && rank.synced == job.table.generation) return false;
  }
  return true;
}

std::string healed_text(const Job& job, Time now, const RankSynced& event) {
  const auto& table = job.table;
  if (table.generation.value == 1) {
    return fmt::format("generation 1: {} ranks are in the ring", table.members.size());
  }
  return fmt::format("generation {}: {} ranks, {:.1f} ms after \"{}\"; state of rank {}, {} steps",
                     table.generation.value, table.members.size(),
                     to_milliseconds(now - table.since), table.reason, event.source.value,
                     event.steps);
}

}  // namespace

void on_rank_synced(State& state, Time now, const RankSynced& event, Actions& actions) {
  RankRecord* rank = state.find(event.id);
  if (rank == nullptr) return;
  Job& job = state.jobs.at(event.id.job);
  if (event.generation != job.table.generation) {
    ++state.dropped_events;
    return;
  }
  CHECK_LE(0, event.steps);
  if (!job.broken && first_of_generation(job)) {
    actions.push_back(Report{job.id, healed_text(job, now, event)});
    job.healed = true;
    job.failure.reset();  // what was lost is healed: a later failure has a root cause of its own
  }
  rank->synced = event.generation;
  rank->steps = event.steps;
  rank->has_state = true;
  if (event.steps > 0) job.state_exists = true;
}

}  // namespace ringmaster::jobs
