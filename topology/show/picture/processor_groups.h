// SPDX-License-Identifier: Apache-2.0
//
// Which GPUs hang below the same processor, also where NVLink or a cut text hides the path between
// them: those with the same list of processors, and those near one adapter, do.
//
// Pure.
#pragma once

#include <vector>

#include "topology/rings/pcie_forest.h"
#include "topology/topology.h"

namespace ringmaster::topology {

/// A number for each GPU, the same for those below one processor. GPUs of which nothing is known
/// are together.
std::vector<int> processor_groups(const Topology& machine, const PcieForest& forest);

}  // namespace ringmaster::topology
