// SPDX-License-Identifier: Apache-2.0
//
// How high the parts of a machine in rows lie: bars have a strip for their label and a lane for
// each ring that passes beside others, and all bars of one level are equally high.
//
// Pure.
#pragma once

#include <vector>

#include "topology/show/picture/canvas.h"
#include "topology/show/picture/row_rings.h"
#include "topology/show/picture/rows.h"

namespace ringmaster::topology {

inline constexpr double kThickestLink = 22;  // of rows, in units of the picture
inline constexpr double kFrameEdge = 8;      // from a processor's frame to what is in it

struct RowHeights {
  std::vector<Box> boxes = {};  // of each node; of bridges with their labels
  double frame_top = 0, frame_bottom = 0, bottom = 0;
};

/// With the upper left corner there. There is at least one node.
RowHeights place_heights(const Rows& rows, const RowRings& rings, const Spot& corner);

/// The height of a bridge's links.
double bridge_line(const Box& bridge);

}  // namespace ringmaster::topology
