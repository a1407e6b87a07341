// SPDX-License-Identifier: Apache-2.0
//
// A machine as a picture shows it: processors, PCIe switches below them, and the GPUs and network
// adapters at the ends.
//
// Less than the PCI tree: a bridge that leads to one place only is part of the link to it, as slow
// as the slower of both. And more than a matrix: GPUs that share an adapter nearer than the
// processor share a switch, and those of the same processors are below one of them, also where
// NVLink hides the path between them.
//
// Pure.
#pragma once

#include <string>
#include <vector>

#include "topology/rings/speeds.h"
#include "topology/topology.h"

namespace ringmaster::topology {

enum class TreeKind { processor, pcie_switch, gpu, nic };

struct TreeNode {
  TreeKind kind = TreeKind::processor;
  int parent = -1;  // by its place in the list; -1 for processors alone
  std::string name = {};
  Speed up = {};           // the link to its parent
  std::size_t device = 0;  // of a GPU or NIC: its place in the machine
  std::vector<int> children = {};
};

struct MachineTree {
  std::vector<TreeNode> nodes = {};
  std::vector<int> of_gpu = {};      // the node of each GPU
  std::vector<int> processors = {};  // in the order of their GPUs, those with NICs alone last

  const TreeNode& at(int node) const { return nodes[static_cast<std::size_t>(node)]; }
  /// The processor that a node is below.
  int processor_of(int node) const;
};

MachineTree machine_tree(const Topology& machine);

}  // namespace ringmaster::topology
