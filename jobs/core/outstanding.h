// SPDX-License-Identifier: Apache-2.0
//
// What was ordered and not yet answered, from the state alone: sent again after a crash of the
// coordinator, or when a host's agent comes back. Whoever performs it twice does nothing the
// second time; so a shell need not know which of its last actions were heard.
//
// Pure.
#pragma once

#include "jobs/core/state.h"

namespace ringmaster::jobs {

/// Hosts that were promised or are to go, and ends of jobs: those are never answered.
Actions outstanding(const State& state);

/// Starts, signals, the end of a generation and the table of the next one, for one host's ranks.
Actions outstanding_ranks(const State& state, HostId host);

}  // namespace ringmaster::jobs
