// SPDX-License-Identifier: Apache-2.0
//
// Rings as people are shown them: those with the same order are one, the fastest come first.
//
// Pure.
#pragma once

#include <string>
#include <vector>

#include "topology/rings/rings.h"
#include "topology/topology.h"

namespace ringmaster::topology {

std::vector<Ring> shown_rings(const RingSet& set);

/// "0-3-2-1", by the GPUs' own numbers.
std::string ring_order_text(const Topology& machine, const Tour& order);

/// "20.0 GB/s each way".
std::string ring_speed_text(const Ring& ring);

/// "1 NVLink of GPU0 and GPU1 (20.0 GB/s?)".
std::string ring_limit_text(const Wires& wires, const Ring& ring);

/// What rings from `first` on carry together, both ways.
double ring_rest_gb_s(const std::vector<Ring>& rings, std::size_t first);

}  // namespace ringmaster::topology
