// SPDX-License-Identifier: Apache-2.0
//
// Ranks where a rank file puts them.
//
// Pure.
#pragma once

#include <vector>

#include "base/result.h"
#include "launcher/hostlist/host_list.h"
#include "launcher/mapping/map_ranks.h"

namespace ringmaster::launcher::mapping {

/// The first `options.ranks` ranks of the file, or all: each with its host, and with its cores
/// where the file names some and the host has been looked at. Fails when there are fewer lines than
/// ranks, a core that the host does not have, or one core for two ranks (unless they may share).
Result<std::vector<Placement>> places_of_lines(const hostlist::HostList& list, const Rooms& rooms,
                                               const MapOptions& options);

/// The slots of each entry of the list. Fails when a host has more of `ranks` than slots (unless
/// they may share) or than its limit. A host whose slots nobody knows has as many as ranks: the
/// file is a person's own count.
Result<std::vector<int>> slots_of_ranked(const hostlist::HostList& list, const Rooms& rooms,
                                         const std::vector<Placement>& ranks,
                                         const MapOptions& options);

}  // namespace ringmaster::launcher::mapping
