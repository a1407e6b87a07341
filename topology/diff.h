// SPDX-License-Identifier: Apache-2.0
//
// What has changed between two looks at a machine: a link that went missing since yesterday.
//
// GPUs are compared by their bus ids where both looks have them, since numbers move up when a GPU
// is lost; else by their numbers. What one of the looks does not tell is no difference.
//
// Pure.
#pragma once

#include <string>
#include <vector>

#include "topology/topology.h"

namespace ringmaster::topology {

/// One line a difference; none when nothing that both tell differs. Temperatures, use and counters
/// that always move are left out.
std::vector<std::string> difference(const Topology& before, const Topology& after);

}  // namespace ringmaster::topology
