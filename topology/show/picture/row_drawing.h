// SPDX-License-Identifier: Apache-2.0
//
// Draws a machine in rows, with the rings over it.
//
// Pure.
#pragma once

#include "topology/rings/rings.h"
#include "topology/show/picture/canvas.h"
#include "topology/show/picture/rows.h"

namespace ringmaster::topology {

/// How thick links may be for each GB/s.
double row_link_scale(const Rows& rows);

/// With its upper left corner there; what it takes. `scale` is how thick links are for each GB/s.
Box draw_rows(Canvas& canvas, const Topology& machine, const Rows& rows, const Wires& wires,
              const std::vector<Ring>& rings, const Spot& corner, double scale);

}  // namespace ringmaster::topology
