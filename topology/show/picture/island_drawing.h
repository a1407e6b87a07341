// SPDX-License-Identifier: Apache-2.0
//
// Draws islands of directly linked GPUs: links as thick as they are fast, and the rings on them
// side by side, so that a link that is all in use is all in colour.
//
// Pure.
#pragma once

#include <vector>

#include "topology/rings/rings.h"
#include "topology/show/picture/islands.h"

namespace ringmaster::topology {

/// How thick links may be for each GB/s.
double island_link_scale(const Wires& wires);

/// With its upper left corner there; what it takes. `scale` is how thick links are for each GB/s.
Box draw_islands(Canvas& canvas, const Topology& machine, const Wires& wires,
                 const std::vector<Island>& islands, const std::vector<Ring>& rings,
                 const Spot& corner, double scale);

}  // namespace ringmaster::topology
