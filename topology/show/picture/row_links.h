// SPDX-License-Identifier: Apache-2.0
//
// NVLinks above a row of GPUs: one bar for all NVSwitches, or a bridge for each linked pair.
//
// Pure.
#pragma once

#include "topology/show/picture/rows.h"

namespace ringmaster::topology {

/// Two GPUs that are linked to each other.
struct LinkedPair {
  std::size_t a = 0, b = 0;  // places in the machine; a < b
  int wire = 0;
};

/// The links that two GPUs have for themselves; null where there are none.
const Wire* direct_link(const Wires& wires, std::size_t a, std::size_t b);

std::vector<LinkedPair> linked_pairs(const Wires& wires);

void add_row_links(const Topology& machine, const Wires& wires, Rows& rows);

}  // namespace ringmaster::topology
