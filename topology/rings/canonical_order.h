// SPDX-License-Identifier: Apache-2.0
//
// An order of the GPUs that hangs on how they are wired and not on their numbers.
//
// Pure.
#pragma once

#include <vector>

#include "topology/rings/wires.h"

namespace ringmaster::topology {

/// Places of GPUs. Those that differ in the speeds of their ways to others, or to others that
/// differ, have their place by that (colour refinement); of those that look alike one is told
/// apart, and so on. Where they look alike and are not, the order may hang on the numbers.
std::vector<int> canonical_order(const Wires& wires);

}  // namespace ringmaster::topology
