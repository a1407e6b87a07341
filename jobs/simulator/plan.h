// SPDX-License-Identifier: Apache-2.0
//
// What a seed stands for: the hosts, the job, the speed of everything, and the faults.
//
// A fault is bound to a point in a rank's life, not to a time: "the third time that a rank is
// about to leave a broken generation, kill it". Times drawn at random would hit the long phases
// nearly always and the dangerous short ones nearly never.
#pragma once

#include <string>
#include <vector>

#include "base/random.h"
#include "jobs/core/spec.h"

namespace ringmaster::jobs::simulator {

/// Where in its life a rank is when a fault hits. The first ones are in the order of that life.
enum class Point {
  booting,    // its process runs, it has not asked to join
  waiting,    // ready, waits for its generation
  gathering,  // in the collective that finds who has the state
  receiving,  // in the collective that brings the state
  computing,  // in a step, outside any collective
  reducing,   // in the collective of a step
  stepped,    // has finished a step that others have not
  finishing,  // in the collective that ends the work
  exiting,    // has ended its work, and not its process
  leaving,    // its generation was aborted
  running,    // anywhere in a program that knows nothing of generations
};
inline constexpr int kPoints = 11;
const char* point_name(Point point);

enum class FaultKind {
  kill,               // SIGKILL to the rank
  kill_several,       // to it and to others in the same instant
  host_crash,         // its host is gone at once
  host_partition,     // its host is cut off; what runs there runs on until the lease is over
  host_stall,         // messages of its host are late, by seconds
  stop,               // somebody asks the job to stop
  stop_twice,         // and asks again, for now
  exit_code,          // the rank ends with an error
  exit_early,         // the rank ends with success, before the work is done
  start_error,        // the next process does not start
  slow_start,         // the rank becomes ready long after the limit
  slow_leave,         // the rank leaves the next broken generation long after the limit
  ignore_signal,      // the rank ignores every polite signal from now on
  host_notice,        // its host will be taken back after a while
  line_break,         // orders to its host are lost for a while
  coordinator_crash,  // between two of the next actions
  kill_all,           // to every rank of the job in the same instant
};
inline constexpr int kFaultKinds = 17;
const char* fault_name(FaultKind kind);

struct Fault {
  FaultKind kind = FaultKind::kill;
  Point point = Point::booting;
  int countdown = 0;  // how many ranks pass the point unharmed before
};

struct Plan {
  JobSpec spec;
  bool plain = false;  // the program knows nothing of generations
  int steps = 1;
  std::vector<int> host_slots;  // of hosts that come by themselves; the job may have others made
  bool hosts_are_replaced = true;
  Duration message_delay_max{};
  Duration collective_delay_max{};
  Duration compute_max{};
  Duration lease{};  // how long a host may be silent before it is taken for dead
  std::vector<Fault> faults;
};

Plan make_plan(Random& random);

/// One line: the job and the hosts.
std::string describe(const Plan& plan);

/// A duration in [0, most].
Duration up_to(Random& random, Duration most);
/// A whole number in [low, high].
int between(Random& random, int low, int high);

}  // namespace ringmaster::jobs::simulator
