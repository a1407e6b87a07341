// SPDX-License-Identifier: Apache-2.0
//
// GPUs that are linked to each other directly, each group on a circle: there no link lies on
// another one, and none passes below a third GPU.
//
// Pure.
#pragma once

#include <vector>

#include "topology/rings/wires.h"
#include "topology/show/picture/canvas.h"
#include "topology/topology.h"

namespace ringmaster::topology {

struct Island {
  std::vector<std::size_t> gpus = {};  // in the order of the circle, clockwise from the top
  double radius = 0;
};

/// All GPUs, linked to each other or alone.
std::vector<Island> find_islands(const Topology& machine, const Wires& wires);

/// Whether a picture shows islands: direct links, and not of pairs alone.
bool has_islands(const Topology& machine, const std::vector<Island>& islands);

struct IslandPlan {
  std::vector<Spot> spots = {};  // the middle of each GPU
  double width = 0, height = 0;
};

/// Islands beside and below each other, from (0, 0) on.
IslandPlan place_islands(const std::vector<Island>& islands, std::size_t gpus);

inline constexpr double kIslandGpuWidth = 70, kIslandGpuHeight = 42;

}  // namespace ringmaster::topology
