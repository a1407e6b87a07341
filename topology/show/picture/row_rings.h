// SPDX-License-Identifier: Apache-2.0
//
// The way of rings over a machine in rows: up and down its links, and along its bars from link to
// link, each ring a closed line beside the others.
//
// Strands of a link are ordered by where they come from, and a bar has lanes for what passes along
// it, the shortest nearest to the row: so a ring that visits neighbours crosses nothing.
//
// Pure.
#pragma once

#include <vector>

#include "topology/rings/rings.h"
#include "topology/show/picture/rows.h"

namespace ringmaster::topology {

/// A ring on its way over one link: of `node` to the bar above or below it. Where it goes on after
/// it is a lane of a bar, or, at the end of a step, the GPU itself.
struct RingLeg {
  int node = 0;
  bool above = false;
  double x = 0;   // where the strand lies
  int bar = -1;   // in which it turns to the next leg; -1: in the GPU
  int lane = -1;  // of that bar
};

struct RowRing {
  std::vector<RingLeg> legs = {};
  double width = 0;
};

struct RowRings {
  std::vector<RowRing> rings = {};
  std::vector<int> lanes = {};  // that each node needs
  double lane_height = 0;
};

/// `width_of_gb_s` is how thick a link is for each GB/s.
RowRings route_rings(const Rows& rows, const Wires& wires, const std::vector<Ring>& rings,
                     double width_of_gb_s);

}  // namespace ringmaster::topology
