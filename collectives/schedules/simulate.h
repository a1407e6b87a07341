// SPDX-License-Identifier: Apache-2.0
//
// Carries a plan out in a model of hosts and links, and says how long it takes: for thousands of
// ranks, round by round, with the memory of a few numbers a rank.
//
// A step of `bytes` leaves when its rank has what the earlier rounds brought and the NIC of its
// host is free; it occupies that for its bytes, and a latency later the receiver's NIC, when that
// is free, and is then reduced. Ranks of one host share its NIC, and reach each other without it.
//
// Pure.
#pragma once

#include <cstddef>

#include "collectives/schedules/choose.h"

namespace ringmaster::collectives::schedules {

struct Simulated {
  double seconds = 0;        // until the last rank has ended
  double bytes_sent = 0;     // by the busiest host, over its NIC
  std::size_t messages = 0;  // between hosts
};

/// An array of `bytes`, cut evenly into the plan's blocks; positions p * ranks_a_host and on are on
/// host p.
Simulated simulate(const Plan& plan, std::size_t bytes, int ranks_a_host, const Cost& cost);

}  // namespace ringmaster::collectives::schedules
