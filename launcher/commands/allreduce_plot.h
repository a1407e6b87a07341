// SPDX-License-Identifier: Apache-2.0
//
// The picture of an all-reduce measurement: a panel for each number of ranks, time against size,
// both by powers of ten; ours with each kind of memory, and the fastest peer of each size. Thin
// lines are the 99th percentile.
//
// Pure.
#pragma once

#include <string>
#include <vector>

#include "launcher/commands/allreduce_results.h"

namespace ringmaster::launcher {

/// `rows` are in the order of ranks and memory. A picture that stands alone (an .svg file).
std::string allreduce_svg(const std::vector<AllreduceRow>& rows);

}  // namespace ringmaster::launcher
