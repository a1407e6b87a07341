// SPDX-License-Identifier: Apache-2.0
//
// A machine and its rings as one picture: islands of directly linked GPUs, if there are such, the
// rows of everything else, and a legend.
//
// Where GPUs are linked in a mesh they are drawn twice, on a circle with their links and in the row
// with their PCIe: in one drawing of both either the links or the switches cover each other.
//
// Pure.
#pragma once

#include "topology/show/picture/canvas.h"
#include "topology/topology.h"

namespace ringmaster::topology {

struct TopologyPicture {
  Canvas canvas = {};
  std::string name = {};
  double width = 0, height = 0;
};

TopologyPicture topology_picture(const Topology& machine);

}  // namespace ringmaster::topology
