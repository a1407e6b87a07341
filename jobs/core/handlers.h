// SPDX-License-Identifier: Apache-2.0
//
// One function for each thing that can happen (on_*.cc), and those that several of them share.
// A handler only takes in what happened; what follows from it is decided in one place, advance().
#pragma once

#include "jobs/core/state.h"

namespace ringmaster::jobs {

void on_host_joined(State& state, Time now, const HostJoined& event, Actions& actions);
void on_host_create_failed(State& state, Time now, const HostCreateFailed& event, Actions& actions);
void on_host_notice(State& state, Time now, const HostNotice& event, Actions& actions);
void on_host_released(State& state, Time now, const HostReleased& event, Actions& actions);
void on_host_lost(State& state, Time now, const HostLost& event, Actions& actions);
void on_job_submitted(State& state, Time now, const JobSubmitted& event, Actions& actions);
void on_stop_requested(State& state, Time now, const StopRequested& event, Actions& actions);
void on_rank_started(State& state, Time now, const RankStarted& event, Actions& actions);
void on_rank_start_failed(State& state, Time now, const RankStartFailed& event, Actions& actions);
void on_rank_ready(State& state, Time now, const RankReady& event, Actions& actions);
void on_rank_synced(State& state, Time now, const RankSynced& event, Actions& actions);
void on_rank_finished(State& state, Time now, const RankFinished& event, Actions& actions);
void on_rank_failed(State& state, Time now, const RankFailed& event, Actions& actions);
void on_rank_exited(State& state, Time now, const RankExited& event, Actions& actions);

void on_shard_written(State& state, Time now, const ShardWritten& event, Actions& actions);
void on_shard_failed(State& state, Time now, const ShardFailed& event, Actions& actions);
void on_term_opened(State& state, Time now, const TermOpened& event, Actions& actions);
void on_term_failed(State& state, Time now, const TermFailed& event, Actions& actions);
void on_checkpoint_committed(State& state, Time now, const CheckpointCommitted& event,
                             Actions& actions);
void on_checkpoint_failed(State& state, Time now, const CheckpointFailed& event, Actions& actions);

/// Kills ranks that kept the others waiting for too long, and ranks that outlived the grace.
void on_timers(Job& job, Time now, Actions& actions);
std::optional<Time> next_timer(const Job& job);

/// Gives the newest save whose shards are all written to the store.
void commit_saves(Job& job, Actions& actions);
/// The ranks shall save soon, if the job saves at all.
void ask_for_save(Job& job, const std::string& why, Actions& actions);
/// Asks for a term; no generation is formed before the answer.
void open_term(Job& job, const std::string& why, Actions& actions);
/// Every rank that held the state is gone, and the store may have it: the ranks start from there.
void go_back(Job& job, Actions& actions);
/// The job cannot go on: its first failure is the root cause.
void give_up(Job& job, Time now, const std::string& why, Actions& actions);

/// Makes hosts for jobs that lack slots, and releases those that no job wants any more. Idempotent.
void advance_hosts(State& state, Time now, Actions& actions);
/// A host for the job came to nothing: the next try waits longer, and there are not many.
void host_failed(Job& job, Time now, const std::string& why, Actions& actions);
/// When advance_hosts has something to do although nothing happens.
std::optional<Time> next_host_timer(const State& state);

/// A rank that holds nothing which the others lack leaves a host that will be taken; it starts
/// again elsewhere. Only between generations. `movable`: whether a member waits to be moved.
void move_ranks(const State& state, Job& job, Time now, Actions& actions);
bool movable(const State& state, const Job& job);

/// Whether a member that is gone can keep others waiting in its generation. It can at the end of
/// the work too: who has not passed the last collective finishes in a ring of those that are left.
bool others_wait(const Job& job, const RankRecord& gone);

/// A rank's process is gone and did not end well. Replaces it, goes on without it, or lets the job
/// fail; `why` reads on after "rank 3 lost: ".
void lose_rank(Job& job, RankRecord& rank, Time now, const std::string& why, Actions& actions);

/// Starts to stop the job: the first call decides the outcome. `signal` goes to every process.
void stop_job(Job& job, Time now, const Outcome& outcome, int signal, Actions& actions);

/// A job whose ranks start all together (`spec.whole`) will end them and start them again.
/// `failure` is what it would have ended with.
void will_start_again(Job& job, Time now, const Outcome& failure, Actions& actions);
/// Ends its ranks, with grace; once no process is left, the job is as when it was submitted.
void start_again(Job& job, Time now, Actions& actions);

/// Marks the current generation as one that cannot go on; the first reason counts.
void break_generation(Job& job, Time now, const std::string& why);

/// Kills the rank's process; its exit is awaited.
void kill_rank(RankRecord& rank, Time now, const std::string& why, Actions& actions);

/// Decides what follows from the job's state: starts, aborts, forms, ends. Idempotent.
void advance(State& state, Job& job, Time now, Actions& actions);

}  // namespace ringmaster::jobs
