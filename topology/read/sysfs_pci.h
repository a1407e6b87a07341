// SPDX-License-Identifier: Apache-2.0
//
// The PCI devices of a /sys tree, with the bridges above each. Pure.
#pragma once

#include <string>
#include <vector>

#include "topology/read/file_tree.h"
#include "topology/topology.h"

namespace ringmaster::topology {

struct SysfsDevice {
  PciDevice pci;                        // without its parent
  std::vector<std::string> above;       // bus ids of the bridges above it, from the root port down
  bool has_driver_gpu = false;          // NVIDIA's driver lists it as a GPU
  std::optional<int> memory_node = {};  // where its memory is a NUMA node
};

std::vector<NumaNode> sysfs_nodes(const FileTree& tree);

/// In the order of bus ids.
std::vector<SysfsDevice> sysfs_devices(const FileTree& tree, const std::vector<NumaNode>& nodes);

/// The last bus id in a path of /sys, or nothing.
std::optional<std::string> bus_id_in(std::string_view path);

}  // namespace ringmaster::topology
