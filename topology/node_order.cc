// SPDX-License-Identifier: Apache-2.0
#include "topology/node_order.h"

#include <algorithm>

namespace ringmaster::topology {

std::vector<std::optional<int>> node_order(const Topology& machine) {
  std::vector<std::optional<int>> all;
  bool unknown = false;
  const auto add = [&](const std::optional<int>& node) {
    unknown = unknown || !node;
    if (node && std::find(all.begin(), all.end(), node) == all.end()) all.push_back(node);
  };
  for (const NumaNode& node : machine.nodes) add(node.id);
  for (const PciDevice& device : machine.pci) {
    if (device.parent < 0) add(device.numa);
  }
  for (const Gpu& gpu : machine.gpus) {
    if (!gpu.bus_id) add(gpu.numa);
  }
  for (const Nic& nic : machine.nics) {
    if (!nic.bus_id) add(nic.numa);
  }
  if (unknown) all.push_back(std::nullopt);
  return all;
}

std::vector<int> cpus_of_node(const Topology& machine, const std::optional<int>& node) {
  for (const NumaNode& known : machine.nodes) {
    if (node == known.id) return known.cpus;
  }
  return {};
}

}  // namespace ringmaster::topology
