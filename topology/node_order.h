// SPDX-License-Identifier: Apache-2.0
//
// The NUMA nodes under which a machine's devices are listed. Pure.
#pragma once

#include <optional>
#include <vector>

#include "topology/topology.h"

namespace ringmaster::topology {

/// The nodes in their order, then those that only devices name, then nothing ("unknown") where a
/// device has none. Every device that is behind no other is under one of them.
std::vector<std::optional<int>> node_order(const Topology& machine);

/// The processors of a node; none where they are not known.
std::vector<int> cpus_of_node(const Topology& machine, const std::optional<int>& node);

}  // namespace ringmaster::topology
