// SPDX-License-Identifier: Apache-2.0
//
// Saves: shards come in, a whole one is committed, and when every rank that held the state is lost
// the job goes on from the newest checkpoint.
//
// The store decides what exists (docs/checkpoint-format.md); what is remembered here is which of
// the shards belong together, and what to ask for next. Healing never waits for the store: only
// the first generation, and the first one after a total loss, wait for an open term.
#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "jobs/core/handlers.h"

namespace ringmaster::jobs {

namespace {

/// The job, when it lives and saves; else the event is dropped.
Job* saving_job(State& state, JobId id) {
  const auto found = state.jobs.find(id);
  const bool there =
      found != state.jobs.end() && !found->second.ended() && found->second.spec.saves();
  if (!there) ++state.dropped_events;
  return there ? &found->second : nullptr;
}

bool counts(const Job& job, const ShardWritten& event) {
  const bool spelled = event.members >= 1 && event.members <= job.spec.ranks_max &&
                       event.position >= 0 && event.position < event.members;
  return spelled && event.generation >= job.saves.since &&
         event.generation <= job.table.generation && event.steps > job.saves.durable.steps;
}

void report_failed_save(Job& job, std::int64_t steps, const std::string& why, Actions& actions) {
  if (job.saves.failed_steps == steps) return;  // several ranks of one save say the same
  job.saves.failed_steps = steps;
  actions.push_back(
      Report{job.id, fmt::format("checkpoint of step {} not written: {}", steps, why)});
}

void forget_up_to(Saves& saves, std::int64_t steps) {
  std::erase_if(saves.collecting, [&](const auto& at) { return at.second.steps <= steps; });
}

}  // namespace

void on_shard_written(State& state, Time, const ShardWritten& event, Actions&) {
  Job* job = saving_job(state, event.id.job);
  if (job == nullptr) return;
  if (!counts(*job, event)) {
    ++state.dropped_events;
    return;
  }
  job->state_exists = true;  // the rank's own words may have been lost with its host
  auto& collecting = job->saves.collecting;
  Save& save = collecting[{event.generation, event.steps}];
  if (save.shards.empty()) {
    save = {event.steps, event.blocks, {}};
    save.shards.resize(static_cast<std::size_t>(event.members));
  }
  const bool fits =
      save.shards.size() == static_cast<std::size_t>(event.members) && save.blocks == event.blocks;
  if (!fits) {
    ++state.dropped_events;
    return;
  }
  save.shards[static_cast<std::size_t>(event.position)] = event.shard;
  while (collecting.size() > Saves::kCollectingMax) collecting.erase(collecting.begin());
}

void on_shard_failed(State& state, Time, const ShardFailed& event, Actions& actions) {
  Job* job = saving_job(state, event.id.job);
  if (job == nullptr || job->outcome) return;
  report_failed_save(*job, event.steps, fmt::format("rank {}: {}", event.id.rank.value, event.why),
                     actions);
}

void commit_saves(Job& job, Actions& actions) {
  Saves& saves = job.saves;
  if (saves.committing || saves.opening || saves.term.value == 0) return;
  const auto newest = std::find_if(saves.collecting.rbegin(), saves.collecting.rend(),
                                   [](const auto& at) { return at.second.complete(); });
  if (newest == saves.collecting.rend()) return;
  saves.committing = newest->second;
  CHECK_LT(saves.durable.steps, saves.committing->steps);
  forget_up_to(saves, saves.committing->steps);
  actions.push_back(CommitCheckpoint{job.id, saves.term, *saves.committing});
}

void open_term(Job& job, const std::string& why, Actions& actions) {
  CHECK(!job.saves.opening);
  job.saves.opening = true;
  actions.push_back(OpenTerm{job.id, ++job.saves.request, why});
}

void go_back(Job& job, Actions& actions) {
  CHECK(!job.formed() || job.broken);
  job.state_exists = false;
  job.saves.restore.reset();
  // What the lost ranks have saved of steps that will be done again must not be mixed with those.
  job.saves.collecting.clear();
  job.saves.since = Generation{job.table.generation.value + 1};
  job.reason = "all ranks that held the state were lost; the newest checkpoint is looked for";
  open_term(job, "all ranks that held the state were lost", actions);
}

void on_term_opened(State& state, Time now, const TermOpened& event, Actions& actions) {
  Job* job = saving_job(state, event.job);
  if (job == nullptr) return;
  Saves& saves = job->saves;
  CHECK_LT(saves.term, event.term);
  saves.term = event.term;
  saves.durable = event.newest;
  forget_up_to(saves, saves.durable.steps);
  if (!event.passed_over.empty()) {
    actions.push_back(Report{job->id, "passed over: " + event.passed_over});
  }
  if (!saves.opening || event.request != saves.request) {
    // What was saved and never heard of: a coordinator may have died, and all hosts meanwhile.
    const bool news = saves.durable.exists() && saves.durable != saves.restore;
    if (news && job->formed() && !saves.opening) job->state_exists = true;
    return;
  }
  saves.opening = false;
  if (job->outcome) return;
  if (!saves.durable.exists()) {
    const bool lost = job->formed() && !job->state_exists && saves.since.value > 0;
    if (lost) give_up(*job, now, "no rank that held the state is left, and no checkpoint", actions);
    return;
  }
  saves.restore = saves.durable;
  actions.push_back(
      Report{job->id, fmt::format("{}going on from the checkpoint of step {}",
                                  job->formed() ? "all ranks that held the state were lost; " : "",
                                  saves.durable.steps)});
}

void on_term_failed(State& state, Time now, const TermFailed& event, Actions& actions) {
  Job* job = saving_job(state, event.job);
  if (job == nullptr || job->outcome) return;
  const std::string why = fmt::format("checkpoints: {}", event.why);
  if (!job->saves.opening || event.request != job->saves.request) {  // the next commit tries again
    actions.push_back(Report{job->id, why});
    return;
  }
  job->saves.opening = false;
  if (job->formed()) return give_up(*job, now, why, actions);
  stop_job(*job, now, {JobState::failed, 1, why}, 15, actions);
}

void ask_for_save(Job& job, const std::string& why, Actions& actions) {
  if (!job.spec.saves() || !job.formed() || job.outcome) return;
  job.saves.asked = true;
  actions.push_back(AskForSave{job.id, why});
}

void on_checkpoint_committed(State& state, Time, const CheckpointCommitted& event,
                             Actions& actions) {
  const auto found = state.jobs.find(event.job);
  if (found == state.jobs.end()) {
    ++state.dropped_events;
    return;
  }
  Saves& saves = found->second.saves;
  if (saves.committing && saves.committing->steps == event.steps) saves.committing.reset();
  if (event.steps > saves.durable.steps) saves.durable = {event.term, event.steps};
  forget_up_to(saves, saves.durable.steps);
  if (saves.asked && !found->second.ended()) {
    actions.push_back(Report{
        event.job,
        fmt::format("checkpoint of step {} is in the store, as asked for before a host is taken",
                    event.steps)});
  }
  saves.asked = false;
}

void on_checkpoint_failed(State& state, Time, const CheckpointFailed& event, Actions& actions) {
  Job* job = saving_job(state, event.job);
  if (job == nullptr) return;
  auto& committing = job->saves.committing;
  if (committing && committing->steps == event.steps) committing.reset();
  if (!job->outcome) report_failed_save(*job, event.steps, event.why, actions);
}

}  // namespace ringmaster::jobs
