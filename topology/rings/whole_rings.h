// SPDX-License-Identifier: Apache-2.0
//
// Rings of whole links: no link is shared by two rings, which is how people draw them.
//
// Pure.
#pragma once

#include <vector>

#include "topology/rings/tour.h"
#include "topology/rings/wires.h"

namespace ringmaster::topology {

struct RatedTour {
  Tour tour = {};
  double gb_s = 0;  // of both directions together
};

/// Rings of the same rate, a link or half of one, that reach `gb_s` together; none when the search
/// does not find such. It takes the fastest ring of what is left again and again.
std::vector<RatedTour> whole_rings(const Wires& wires, double gb_s);

}  // namespace ringmaster::topology
