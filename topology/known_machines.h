// SPDX-License-Identifier: Apache-2.0
//
// Machines that many people have, as values: to measure and to draw without having one, and to
// think about instances of a cloud before there is one.
//
// From what makers publish and owners have shown of them: GPUs, links, NUMA nodes, PCIe switches
// and network adapters. Bus ids are made up.
//
// Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topology/topology.h"

namespace ringmaster::topology {

struct KnownMachine {
  std::string name;  // "dgx-1"
  std::string what;  // "8 V100, NVLink from GPU to GPU"
};

std::vector<KnownMachine> known_machines();

/// Nothing for any other name.
std::optional<Topology> known_machine(std::string_view name);

}  // namespace ringmaster::topology
