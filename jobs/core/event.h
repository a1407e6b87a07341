// SPDX-License-Identifier: Apache-2.0
//
// What can happen. A shell turns a socket, a process or a clock into one of these; the core never
// sees where it came from.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "jobs/core/checkpoint.h"
#include "jobs/core/exit_status.h"
#include "jobs/core/ids.h"
#include "jobs/core/spec.h"

namespace ringmaster::jobs {

/// Steps in a rank's state; kNoState: it holds none (it has just started).
inline constexpr std::int64_t kNoState = -1;

/// The host's agent is there: for the first time, after a CreateHost or uncalled for.
struct HostJoined {
  HostId host;
  std::string name;
  int slots = 0;
  std::string address = {};     // where ranks of other hosts reach its own
  std::vector<int> ports = {};  // that it holds for ranks 0 of jobs to listen on
};
/// A CreateHost came to nothing.
struct HostCreateFailed {
  HostId host;
  std::string why;
};
/// The provider will take the host back at `deadline`.
struct HostNotice {
  HostId host;
  Time deadline;
  std::string why;
};
/// The host is gone and can write nowhere any more (its lease was waited out, or it is dead).
struct HostLost {
  HostId host;
  std::string why;
};
/// A ReleaseHost is done: nothing of the host is left.
struct HostReleased {
  HostId host;
};
struct JobSubmitted {
  JobId job;
  JobSpec spec;
};
/// Someone wants the job to end: a person, a time limit. A second one with `now` skips the grace.
struct StopRequested {
  JobId job;
  std::string why;
  int signal = 15;    // what ranks are sent first
  int exit_code = 1;  // what the job ends with
  bool now = false;
};
struct RankStarted {
  RankId id;
  std::string endpoint = {};  // "address:port" where it listens for other hosts, for its life
};
/// There is no such program, no memory for it, and so on.
struct RankStartFailed {
  RankId id;
  int exit_code = 127;
  std::string why;
};
/// The rank wants to be in the next generation and touches nothing of an older one any more.
/// `left`: the newest generation that it was in, and will not be in again. An agent says this once
/// more for a rank that waits when a generation is aborted, with that one: the table may have been
/// lost on the way.
struct RankReady {
  RankId id;
  std::int64_t steps = kNoState;
  Generation left = {};
};
/// All members of the generation hold one state, which came from `source`.
struct RankSynced {
  RankId id;
  Generation generation;
  std::int64_t steps = 0;
  Rank source;
};
/// Every member has finished the last step: the job's work is complete.
struct RankFinished {
  RankId id;
  Generation generation;
};
/// What the rank says of the error that it is about to end with.
struct RankFailed {
  RankId id;
  std::string message;
};
struct RankExited {
  RankId id;
  ExitStatus status;
  std::int64_t steps = kNoState;  // what its state held, as far as its host knows
  std::string why = {};           // what its host knows beyond the status: out of memory
};
/// next_timer() has come.
struct TimerExpired {};

using Event =
    std::variant<HostJoined, HostCreateFailed, HostNotice, HostLost, HostReleased, JobSubmitted,
                 StopRequested, RankStarted, RankStartFailed, RankReady, RankSynced, RankFinished,
                 RankFailed, RankExited, TimerExpired, ShardWritten, ShardFailed, TermOpened,
                 TermFailed, CheckpointCommitted, CheckpointFailed>;

/// "rank_exited": for traces and tables, in the order of the variant.
const char* event_name(const Event& event);

}  // namespace ringmaster::jobs
