// SPDX-License-Identifier: Apache-2.0
#include "jobs/core/core.h"

#include <algorithm>

#include "base/check.h"
#include "jobs/core/handlers.h"

namespace ringmaster::jobs {

namespace {

struct Dispatch {
  State& state;
  Time now;
  Actions& actions;

  void operator()(const HostJoined& event) { on_host_joined(state, now, event, actions); }
  void operator()(const HostCreateFailed& event) {
    on_host_create_failed(state, now, event, actions);
  }
  void operator()(const HostNotice& event) { on_host_notice(state, now, event, actions); }
  void operator()(const HostReleased& event) { on_host_released(state, now, event, actions); }
  void operator()(const HostLost& event) { on_host_lost(state, now, event, actions); }
  void operator()(const JobSubmitted& event) { on_job_submitted(state, now, event, actions); }
  void operator()(const StopRequested& event) { on_stop_requested(state, now, event, actions); }
  void operator()(const RankStarted& event) { on_rank_started(state, now, event, actions); }
  void operator()(const RankStartFailed& event) {
    on_rank_start_failed(state, now, event, actions);
  }
  void operator()(const RankReady& event) { on_rank_ready(state, now, event, actions); }
  void operator()(const RankSynced& event) { on_rank_synced(state, now, event, actions); }
  void operator()(const RankFinished& event) { on_rank_finished(state, now, event, actions); }
  void operator()(const RankFailed& event) { on_rank_failed(state, now, event, actions); }
  void operator()(const RankExited& event) { on_rank_exited(state, now, event, actions); }
  void operator()(const ShardWritten& event) { on_shard_written(state, now, event, actions); }
  void operator()(const ShardFailed& event) { on_shard_failed(state, now, event, actions); }
  void operator()(const TermOpened& event) { on_term_opened(state, now, event, actions); }
  void operator()(const TermFailed& event) { on_term_failed(state, now, event, actions); }
  void operator()(const CheckpointCommitted& event) {
    on_checkpoint_committed(state, now, event, actions);
  }
  void operator()(const CheckpointFailed& event) {
    on_checkpoint_failed(state, now, event, actions);
  }
  void operator()(const TimerExpired&) {}  // the timers are looked at after every event
};

}  // namespace

Actions Core::step(Time now, const Event& event) {
  CHECK(last_step_ <= now);
  last_step_ = now;
  std::erase_if(state_.jobs, [](const auto& at) { return at.second.ended(); });
  Actions actions;
  std::visit(Dispatch{state_, now, actions}, event);
  advance_hosts(state_, now, actions);  // before: a job that waits tells what is being made
  for (auto& [id, job] : state_.jobs) {
    if (job.ended()) continue;
    on_timers(job, now, actions);
    advance(state_, job, now, actions);
  }
  advance_hosts(state_, now, actions);  // after: what an ended job used is given back
  return actions;
}

std::optional<Time> Core::next_timer() const {
  std::optional<Time> next = next_host_timer(state_);
  for (const auto& [id, job] : state_.jobs) {
    const auto timer = jobs::next_timer(job);
    if (timer && (!next || *timer < *next)) next = timer;
  }
  return next;
}

}  // namespace ringmaster::jobs
