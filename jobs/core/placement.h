// SPDX-License-Identifier: Apache-2.0
//
// Says where ranks that need a start can run. A gang starts whole or not at all: fewer than
// `at_least` places give no placement, but a reason that a user can act on.
//
// Pure: read-only state in, plan out.
#pragma once

#include <map>

#include "jobs/core/state.h"

namespace ringmaster::jobs {

struct Placement {
  std::map<Rank, HostId> hosts;  // empty: not now
  std::string reason;            // why not all, or not at all; empty when all are placed
};

/// Slots that no process uses, by host.
std::map<HostId, int> free_slots(const State& state);

/// Places the job's absent ranks, lowest number first: on the host where they ran last when it has
/// room (its files and caches are there), else on the first host in order of id with room.
Placement place(const State& state, const Job& job, int at_least);

}  // namespace ringmaster::jobs
