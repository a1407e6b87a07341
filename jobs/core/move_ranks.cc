// SPDX-License-Identifier: Apache-2.0
//
// Ranks leave a host that will be taken, before it is.
//
// A move is a planned loss: the generation ends, all members say what they hold, and a rank whose
// place elsewhere is free is left out of the next generation and killed; its replacement starts on
// the other host and gets the state as every newcomer does. Because the ranks are compared when all
// have left, one that alone has finished the last step is taken along once more, so that no
// finished step is lost by our own doing. No restart is used up.
#include <fmt/format.h>

#include <algorithm>

#include "jobs/core/handlers.h"
#include "jobs/core/placement.h"

namespace ringmaster::jobs {

namespace {

bool must_leave(const State& state, const RankRecord& rank) {
  const auto host = state.hosts.find(rank.host);
  return host != state.hosts.end() && host->second.state == HostState::draining;
}

/// Slots of hosts that stay, beyond what ranks without a process will take.
int places_elsewhere(const State& state, const Job& job) {
  int places = 0;
  for (const auto& [id, free] : free_slots(state)) {
    if (state.hosts.at(id).takes_ranks()) places += free;
  }
  return places - job.count(RankState::absent);
}

bool takes_part(const RankRecord& rank) {
  return rank.state == RankState::member || rank.state == RankState::ready ||
         rank.state == RankState::leaving;
}

/// Somebody must stay behind to hand the state over: a rank of a host that stays, or else the
/// last one of those that must go.
bool somebody_stays(const State& state, const Job& job, const RankRecord& going) {
  return std::any_of(job.ranks.begin(), job.ranks.end(), [&](const RankRecord& other) {
    return other.id.rank != going.id.rank && takes_part(other) && other.has_state &&
           (!must_leave(state, other) || other.id.rank < going.id.rank);
  });
}

}  // namespace

bool movable(const State& state, const Job& job) {
  if (job.outcome || job.finishing || job.broken) return false;
  // First what only this job knows: every job is asked after every event, and the places are those
  // that all jobs leave.
  const bool must = std::any_of(job.ranks.begin(), job.ranks.end(), [&](const RankRecord& rank) {
    return rank.state == RankState::member && must_leave(state, rank) &&
           somebody_stays(state, job, rank);
  });
  if (!must) return false;
  // A step that nobody else has yet is shared in the next generation: wait until it has.
  for (const RankRecord& rank : job.ranks) {
    if (rank.state == RankState::member && rank.synced != job.table.generation) return false;
  }
  return places_elsewhere(state, job) > 0;
}

void move_ranks(const State& state, Job& job, Time now, Actions& actions) {
  if (job.outcome || job.finishing) return;
  int places = places_elsewhere(state, job);
  // From the highest number on: the lowest stays when all must go (somebody_stays).
  for (auto rank = job.ranks.rbegin(); rank != job.ranks.rend() && places > 0; ++rank) {
    if (rank->state != RankState::ready || !must_leave(state, *rank)) continue;
    const bool held_elsewhere =
        std::any_of(job.ranks.begin(), job.ranks.end(), [&](const RankRecord& other) {
          return other.id.rank != rank->id.rank && other.state == RankState::ready &&
                 other.has_state && other.steps >= rank->steps;
        });
    if (rank->has_state && !held_elsewhere) continue;
    const std::string& host = state.hosts.at(rank->host).name;
    rank->moving = true;
    kill_rank(*rank, now, fmt::format("moves from host {}", host), actions);
    actions.push_back(
        Report{job.id, fmt::format("rank {} moves from host {}: {}", rank->id.rank.value, host,
                                   state.hosts.at(rank->host).reason)});
    --places;
  }
}

}  // namespace ringmaster::jobs
