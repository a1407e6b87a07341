// SPDX-License-Identifier: Apache-2.0
//
// The core: decides what to start, stop and signal, and who is in the ring.
//
// A function from an event and the time to a list of actions: no socket, clock, thread, random
// source or file in it. So the whole system runs from a seed in a simulator, the state after a
// crash is a replay, and every decision carries its reason.
//
// The shell's duties:
//   1. Perform the actions in order, before the next step().
//   2. Answer every StartRank with RankStarted or RankStartFailed, every started process in the end
//      with RankExited, after all that the process had said before.
//   3. RankExited is said only when the process is dead: from then on it can write nowhere.
//   4. Answer every CreateHost with HostJoined or HostCreateFailed, every ReleaseHost with
//      HostReleased. HostLost is said only when nothing of the host runs any more.
//   5. Answer every OpenTerm and CommitCheckpoint, those of a job in their order.
//   6. Call step(now, TimerExpired) when next_timer() has come.
//   7. Keep of an ended job what is to be known of it: the next step forgets it.
//
// A job leaves the state with the step after the one that ended it, so that neither memory nor the
// cost of a step grows with the jobs that have been. In between its EndJob is still owed: a shell
// that dies before it has performed it finds it in outstanding().
//
// A shell that may crash writes each event down before it performs its actions, replays them into a
// new core, and performs what outstanding() says (jobs/core/outstanding.h).
//
// Decides nothing about: which bytes move how (collectives), what a rank runs (the shell).
// Thread rules: one thread.
#pragma once

#include <optional>

#include "jobs/core/state.h"

namespace ringmaster::jobs {

class Core {
 public:
  Core() = default;
  /// Goes on from a state that a core had after its step at `last_step`.
  Core(State state, Time last_step) : state_(std::move(state)), last_step_(last_step) {}

  /// Takes the event in and says what to do now. `now` never goes back.
  Actions step(Time now, const Event& event);

  /// When step() wants to be called next although nothing happens; nothing: never.
  std::optional<Time> next_timer() const;

  const State& state() const { return state_; }
  Time last_step() const { return last_step_; }

 private:
  State state_;
  Time last_step_;
};

}  // namespace ringmaster::jobs
