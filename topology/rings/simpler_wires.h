// SPDX-License-Identifier: Apache-2.0
//
// Wires with less in them, for which the best rings are the same.
//
// Pure.
#pragma once

#include "topology/rings/wires.h"

namespace ringmaster::topology {

struct SimplerWires {
  Wires wires = {};
  std::vector<int> places = {};  // of each wire, among those that there were
};

/// Without wires that no way crosses; of those that the same ways cross, such as a GPU's link and
/// that of a switch with nothing else below it, the slowest alone.
SimplerWires limiting_wires(const Wires& wires);

/// Ways that are not over NVLink or XGMI alone are closed: they have no wires, and no ring is to
/// take them.
Wires close_unlinked(const Wires& wires);

bool is_linked(const Wires& wires, const Route& route);

}  // namespace ringmaster::topology
