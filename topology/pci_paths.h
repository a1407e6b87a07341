// SPDX-License-Identifier: Apache-2.0
//
// How devices reach each other, told from the PCI tree: the class of the nearest bridge above both.
//
// A tree says less than the driver does. What meets in no bridge meets in the processor: `phb`, or
// `node` where both hang on host bridges of their own. Unknown NUMA nodes in different trees leave
// the path unknown.
//
// Pure.
#pragma once

#include "topology/topology.h"

namespace ringmaster::topology {

/// The path between two devices of `pci`, by their places in it.
MaybePath pci_path(const std::vector<PciDevice>& pci, std::size_t a, std::size_t b);

/// The place of a bus id in `pci`, or nothing.
std::optional<std::size_t> find_pci(const std::vector<PciDevice>& pci, std::string_view bus_id);

/// Leaves only GPUs, NICs, devices of unknown kind and what is above them in the tree: storage, USB
/// and the processors' own devices are most of it.
void prune_pci(Topology& machine);

/// Fills the paths between GPUs, and from NICs to them, out of the PCI tree and the links. GPUs and
/// NICs that the tree does not hold are taken by their NUMA nodes: the same, `node`; another,
/// `sys`; unknown where one is.
void fill_paths(Topology& machine);

}  // namespace ringmaster::topology
