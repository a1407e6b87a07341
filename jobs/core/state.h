// SPDX-License-Identifier: Apache-2.0
//
// What the core knows: hosts, jobs, ranks. Plain values, so that a copy is a snapshot and two
// replays of the same events compare equal.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "jobs/core/action.h"

namespace ringmaster::jobs {

enum class RankState {
  absent,    // no process: it needs a slot and a start
  starting,  // told to start, not heard of
  started,   // runs, has not asked to join (a program that knows nothing of us stays here)
  ready,     // waits for the next generation
  member,    // in the current generation
  leaving,   // its generation is broken, and it has not left it yet
  stopping,  // told to end, its exit is awaited
  ended,     // no process, and none will be started unless all start again
};
inline constexpr int kRankStates = 8;
const char* state_name(RankState state);

struct RankRecord {
  RankId id;
  RankState state = RankState::absent;
  Time since;              // when it entered the state
  HostId host;             // where it runs, or ran last
  bool has_state = false;  // this process has held the job's state
  bool finished = false;   // this process has passed the end of the work
  bool succeeded = false;  // ended, with exit code 0
  bool moving = false;     // stopped to run elsewhere: its host is being reclaimed
  int signal = 0;          // the last one that it was sent
  int starts = 0;          // processes that were started under this number
  std::string endpoint;    // where it listens for ranks of other hosts
  Generation synced;       // the last generation in which it received the state
  std::int64_t steps = kNoState;
  std::string words;  // what it said of its own failure

  /// Moves to `next`; an illegal move is a bug (the table is in state.cc).
  void enter(RankState next, Time now);
  bool has_process() const { return state != RankState::absent && state != RankState::ended; }
};

/// Where ranks find each other that know nothing of generations (meeting.h).
struct Meeting {
  HostId host;
  std::string address;
  int port = 0;  // 0: one of the host's own choice
};

/// Why a job ends as it does: decided once, when it starts to stop.
struct Outcome {
  JobState state = JobState::failed;
  int exit_code = 1;
  std::string reason;
};

struct Job {
  JobId id;
  JobSpec spec;
  JobState state = JobState::waiting;
  std::string reason;             // why it is in this state, in words a user can act on
  std::vector<RankRecord> ranks;  // index = number
  Incarnation last_incarnation;
  int restarts_used = 0;
  GenerationTable table;      // the generation formed last; generation 0 before the first
  bool broken = false;        // that generation was aborted
  bool state_exists = false;  // some rank has finished a step: the state must not be lost any more
  bool finishing = false;     // a rank has passed the end of the work
  bool healed = true;         // since the last break, a generation has worked
  Time broken_since;          // when the first thing that is not healed yet was heard
  std::string broken_why;     // all that happened since then
  std::optional<Outcome> failure;  // the first failure: the root cause
  std::string said;                // the last error that a rank said of itself
  std::int64_t said_steps = 0;     // what its state held then
  std::optional<Outcome> outcome;  // set once it stops
  std::string again;             // why all ranks are stopped and will start again; "": they are not
  std::optional<Time> kill_at;   // when the grace is over
  int host_failures = 0;         // hosts in a row that could not be made for it
  Time next_host;                // no host is made for it before
  std::optional<Time> host_due;  // it lacks one, and waits for next_host
  Saves saves;
  Meeting meeting;  // of the last process of rank 0

  bool ended() const {
    return state == JobState::done || state == JobState::failed || state == JobState::cancelled;
  }
  bool formed() const { return table.generation.value > 0; }
  int count(RankState wanted) const;
};

enum class HostState {
  creating,   // promised: it may exist
  up,         // its agent has joined
  draining,   // will be taken back: nothing new starts there
  releasing,  // being ended; nothing of it counts any more
};
inline constexpr int kHostStates = 4;
const char* state_name(HostState state);

/// A host from the promise to make it, or from its joining, until nothing of it is left.
struct Host {
  HostId id;
  std::string name;
  int slots = 0;
  std::string address;     // where ranks of other hosts reach its own
  std::vector<int> ports;  // that it holds for meetings
  HostState state = HostState::up;
  bool created = false;  // by a CreateHost of ours: it ends in a release
  JobId wanted_by;       // the job that it was made for; others may use it
  Time since;            // when it entered the state
  Time deadline;         // draining: when it is taken
  std::string reason;    // why it is in this state

  /// Whether ranks may be started there.
  bool takes_ranks() const { return state == HostState::up; }
};

struct State {
  std::map<HostId, Host> hosts;
  HostId last_host;  // ids of created hosts and those that the shell gives grow from one counter
  std::map<JobId, Job> jobs;  // those that have not ended, and those that the last step has ended
  JobId last_job;             // numbers grow; none is used twice
  std::int64_t dropped_events = 0;  // from processes that were replaced, or of jobs that ended

  /// The record that the event speaks of, or null (counted) when it is of an older process.
  RankRecord* find(const RankId& id);
};

}  // namespace ringmaster::jobs
