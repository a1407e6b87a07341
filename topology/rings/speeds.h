// SPDX-License-Identifier: Apache-2.0
//
// How fast a link of a kind carries data for a collective: what it moves in one direction, protocol
// and all, in GB/s (10^9 bytes a second). The figures are those that NCCL and RCCL plan with
// (src/graph/topo.h of both), so that a prediction can be held against them.
//
// Pure.
#pragma once

#include <optional>

#include "topology/topology.h"

namespace ringmaster::topology {

/// A speed, and whether it was told by the source or taken for what such machines have.
struct Speed {
  double gb_s = 0;
  bool assumed = false;
};

/// NVLinks or XGMI links of a GPU: those of all its pairs, or through a switch those of its widest
/// pair, since a switch shows them to each peer.
int links_of(const Topology& machine, const Gpu& gpu);

/// One NVLink or XGMI link of this GPU: by its NVLink version or its PCI device, else by how many
/// links it has (`links` to all others together).
Speed link_speed(const Topology& machine, const Gpu& gpu, int links);

/// Whether its links are XGMI and not NVLink: told by the vendor, else by the class.
bool is_of_amd(const Topology& machine, const Gpu& gpu);

/// A PCIe link as it is now; where it is not told, that of 16 lanes of `gt_s_assumed`.
Speed pcie_speed(const PciLink& link, double gt_s_assumed);

/// What a lane of PCIe has on this machine: that of its fastest GPU; where none is told, what came
/// with such NVLinks: 8 GT/s with V100 and below, 16 with A100, 32 with H100 and later.
double usual_gt_s(const Topology& machine);

/// Between two NUMA nodes, one way: no source tells it. Taken is what processors have that come
/// with PCIe of that speed: Xeons of 2017, AMD's of 2019, Xeons of 2023.
Speed socket_speed(double gt_s);

/// A network adapter; 100 Gbit/s where it does not tell.
Speed nic_speed(const Nic& nic);

}  // namespace ringmaster::topology
