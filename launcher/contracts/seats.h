// SPDX-License-Identifier: Apache-2.0
//
// Where each rank of a launch sits, as programs count it: among the ranks of its host, among the
// hosts, and among those with the same place on other hosts.
//
// Every launcher has its own names for these numbers and some have their own slips in them where
// hosts have unequal slots (3 + 5 + 1). Here they are counted once, from nothing but the host of
// each rank, and the table of variables only spells them.
//
// Pure.
#pragma once

#include <vector>

namespace ringmaster::launcher {

struct Seat {
  int rank = 0;
  int local_rank = 0;  // among the ranks of its host, in the order of ranks
  int local_size = 1;
  int host = 0;        // hosts are counted in the order in which ranks first meet them
  int cross_rank = 0;  // among the ranks of all hosts that have its local rank, in that order
  int cross_size = 1;

  friend bool operator==(const Seat&, const Seat&) = default;
};

/// `hosts[r]` says which host rank r is on, by any number.
std::vector<Seat> seats_of(const std::vector<int>& hosts);

}  // namespace ringmaster::launcher
