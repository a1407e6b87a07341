// SPDX-License-Identifier: Apache-2.0
//
// Where the ranks of a program that knows nothing of us find each other (MASTER_ADDR and
// MASTER_PORT): an address of the host of rank 0, which listens there, and a port that this host
// holds for it.
//
// Each host offers ports, and a job has one of them to itself until it ends. Chosen here and not by
// the host when rank 0 starts: then nobody else could be told before it has.
//
// Pure.
#pragma once

#include "jobs/core/state.h"

namespace ringmaster::jobs {

/// On that host, where rank 0 is about to start. The same as before when it was there already.
Meeting choose_meeting(const State& state, const Job& job, HostId host);

}  // namespace ringmaster::jobs
