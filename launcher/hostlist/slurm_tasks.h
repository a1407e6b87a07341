// SPDX-License-Identifier: Apache-2.0
//
// Slurm's numbers for each host of a list: "8(x2),4" is 8, 8, 4.
//
// Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "launcher/hostlist/formats.h"

namespace ringmaster::launcher::hostlist {

/// One number for each of `hosts` hosts; refuses another number of numbers.
ListResult<std::vector<int>> parse_slurm_tasks(const Source& source, std::size_t hosts);

}  // namespace ringmaster::launcher::hostlist
