// SPDX-License-Identifier: Apache-2.0
//
// What a user asked for, as the core sees it. The command itself is the shell's business: the core
// decides how many ranks run, where, and what happens when one is lost.
#pragma once

#include <cstdint>
#include <string>

#include "base/time.h"

namespace ringmaster::jobs {

struct JobSpec {
  std::string name;
  int ranks_min = 1;  // below this the job waits for replacements
  int ranks_max = 1;  // what it starts with and heals towards
  int restarts = 0;   // how many replacements the whole job may start; `whole`: how many times all
  /// Its ranks know nothing of generations: the loss of one ends them all, and all start again.
  bool whole = false;
  Duration grace = std::chrono::seconds(5);  // from the polite signal to SIGKILL
  /// A rank that has not left a broken generation by then is killed: the others wait for it. As
  /// long as a start may take, since a rank leaves at its next collective: a step may be long.
  Duration leave_timeout = std::chrono::minutes(10);
  /// A rank of a job whose ranks join must be ready by then: a start that hangs blocks a gang.
  Duration start_timeout = std::chrono::minutes(10);

  /// Hosts that the job may have made for it, and their slots; 0: it takes what has joined.
  int hosts_max = 0;
  int host_slots = 1;

  /// Finished steps, or time, from one checkpoint to the next; 0: not by that.
  std::int64_t save_every = 0;
  Duration save_period = Duration::zero();
  bool saves() const { return save_every > 0 || save_period > Duration::zero(); }

  /// Whether a lost rank may be survived at all.
  bool elastic() const { return !whole && (ranks_min < ranks_max || restarts > 0); }
};

}  // namespace ringmaster::jobs
