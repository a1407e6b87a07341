// SPDX-License-Identifier: Apache-2.0
//
// Slurm's short form of many names: "n[1-3,07]" is n1, n2, n3 and n07. The first number of a range
// fixes the width, so "n[08-11]" has n08. Two brackets multiply, the first one slowest:
// "r[0-1]b[0-1]" is r0b0, r0b1, r1b0, r1b1. The last bracket ends the name, as Slurm demands.
//
// The result is counted before it is made: "n[0-99999999]" costs nothing but its refusal.
//
// Pure. Refusals have no place yet.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/hostlist/list_error.h"

namespace ringmaster::launcher::hostlist {

/// Slurm takes no more in one range.
inline constexpr long long kRangeMax = 65536;

/// The names that `entry` stands for, in Slurm's order; at most `most` of them.
ListResult<std::vector<std::string>> expand_names(std::string_view entry, std::size_t most);

}  // namespace ringmaster::launcher::hostlist
