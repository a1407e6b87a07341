// SPDX-License-Identifier: Apache-2.0
//
// What a ring takes of the wires that it crosses.
//
// A ring that crosses a wire as often up as down takes as much of it in either direction. One that
// does not is used both ways, half of its rate each. Either way a unit of its rate takes half a
// unit, in each direction, for each time that the wire is crossed.
//
// Pure.
#pragma once

#include "topology/rings/packing.h"
#include "topology/rings/tour.h"
#include "topology/rings/wires.h"

namespace ringmaster::topology {

/// By wire, ascending.
WireUse use_of(const Wires& wires, const Tour& tour);

/// Whether it crosses each wire as often up as down, so that one direction does.
bool is_balanced(const Wires& wires, const Tour& tour);

/// Its rate when nothing else uses the wires, which have this much left.
double rate_alone(const WireUse& use, const std::vector<double>& left);

std::vector<double> capacities_of(const Wires& wires);

/// Whether every step of it is over NVLink or XGMI alone.
bool is_linked(const Wires& wires, const Tour& tour);

/// Whether no step of it is closed.
bool is_open(const Wires& wires, const Tour& tour);

/// What each step of a ring costs at these prices of wires; a closed way infinity.
TourCosts costs_at(const Wires& wires, const std::vector<double>& prices);

/// Costs by which the cheapest tour has the fewest of the slowest steps, then the fewest of the
/// next slowest, and so on; of two steps of one speed the one over fewer wires is the faster.
/// `left` is what the wires have left.
TourCosts costs_by_rank(const Wires& wires, const std::vector<double>& left);

}  // namespace ringmaster::topology
