// SPDX-License-Identifier: Apache-2.0
//
// The lines around a matrix and a tree.
//
// Pure.
#pragma once

#include <string>

#include "topology/topology.h"

namespace ringmaster::topology {

/// "8 GPUs, NVLink through a switch, 4 NICs, 2 NUMA nodes".
std::string summary_text(const Topology& machine);

/// A line for each unknown device, missing part and warning.
std::string notes_text(const Topology& machine, bool colours);

}  // namespace ringmaster::topology
