// SPDX-License-Identifier: Apache-2.0
//
// Which cores of a host its ranks get.
//
// Pure.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "launcher/mapping/map_ranks.h"

namespace ringmaster::launcher::mapping {

/// A rank's cores, as the numbers of their processors, and the domain that they were looked for in.
struct CoreChoice {
  std::vector<int> cores = {};
  std::optional<int> domain = {};
};

/// The cores of `ranks` ranks, `each` for every one: neighbours (slot, node), or of one NUMA domain
/// after the other (numa), as long as a domain has as many left. With `each` 0, only the domains,
/// which ranks then share. Nothing when the cores do not suffice.
std::optional<std::vector<CoreChoice>> choose_cores(const HostRoom& room, int ranks, int each,
                                                    Policy policy);

/// The cores that a rank file's text means on this host, as their processors: "0,2", "1:0-1", "*"
/// (hostlist's form). Numbers count the host's cores, or those of the package before the colon,
/// from 0.
Result<std::vector<int>> named_cores(std::string_view text, const HostRoom& room);

}  // namespace ringmaster::launcher::mapping
