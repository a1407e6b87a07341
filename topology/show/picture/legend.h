// SPDX-License-Identifier: Apache-2.0
//
// What stands beside a picture: the rings with their rates and limits, the links with their speeds,
// what was assumed, what is missing.
//
// Pure.
#pragma once

#include <vector>

#include "topology/show/picture/canvas.h"
#include "topology/show/shown_rings.h"

namespace ringmaster::topology {

/// A kind of link: a line as it is drawn, and what it stands for.
struct LegendLink {
  std::string name = {};
  double gb_s = 0;
  bool assumed = false;
  double width = 0;
};

struct Legend {
  std::vector<Ring> rings = {};  // all that are shown as text or drawn, the fastest first
  std::size_t drawn = 0;         // of them
  double gb_s = 0;
  bool dashed = false;  // steps that are not over links of GPUs
  std::vector<LegendLink> links = {};
};

/// Columns with their upper left corners there: of the rings, and of links and notes; what they
/// take, which is nothing where there is nothing to tell.
Box draw_ring_legend(Canvas& canvas, const Topology& machine, const Wires& wires,
                     const Legend& legend, const Spot& corner);
Box draw_link_legend(Canvas& canvas, const Topology& machine, const Legend& legend,
                     const Spot& corner);

inline constexpr double kLegendWidth = 600;

}  // namespace ringmaster::topology
