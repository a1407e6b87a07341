// SPDX-License-Identifier: Apache-2.0
#include "jobs/core/outstanding.h"

namespace ringmaster::jobs {

namespace {

/// The store's turn ends with the coordinator that had it: the next one opens its own first. A
/// commit comes before the term that is to find what it made.
void repeat_saves(const Job& job, Actions& actions) {
  const Saves& saves = job.saves;
  if (saves.committing || (saves.term.value > 0 && !saves.opening)) {
    actions.push_back(OpenTerm{job.id, 0, "another coordinator"});
  }
  if (saves.committing) actions.push_back(CommitCheckpoint{job.id, saves.term, *saves.committing});
  if (saves.opening) actions.push_back(OpenTerm{job.id, saves.request, "ordered before"});
}

}  // namespace

Actions outstanding(const State& state) {
  Actions actions;
  for (const auto& [id, host] : state.hosts) {
    if (host.state == HostState::creating) {
      actions.push_back(CreateHost{id, host.name, host.slots, host.reason});
    }
    if (host.state == HostState::releasing) actions.push_back(ReleaseHost{id, host.reason});
  }
  for (const auto& [id, job] : state.jobs) {
    if (job.ended()) {
      actions.push_back(EndJob{id, job.state, job.outcome->exit_code, job.reason});
    } else {
      repeat_saves(job, actions);
    }
  }
  return actions;
}

Actions outstanding_ranks(const State& state, HostId host) {
  Actions actions;
  for (const auto& [id, job] : state.jobs) {
    bool here = false, behind = false;
    for (const RankRecord& rank : job.ranks) {
      if (!rank.has_process() || rank.host != host) continue;
      here = true;
      if (rank.state == RankState::starting) {
        actions.push_back(StartRank{rank.id, host, "ordered before", rank.starts - 1});
      }
      if (rank.state == RankState::stopping) {
        actions.push_back(SignalRank{rank.id, rank.signal, "ordered before"});
      }
      behind = behind || (rank.state == RankState::member && rank.synced != job.table.generation);
    }
    if (here && job.broken) {
      actions.push_back(AbortGeneration{id, job.table.generation, job.broken_why});
    }
    if (here && job.saves.asked) actions.push_back(AskForSave{id, "asked for before"});
    if (behind && !job.broken) actions.push_back(FormGeneration{id, job.table});
  }
  return actions;
}

}  // namespace ringmaster::jobs
