// SPDX-License-Identifier: Apache-2.0
//
// How many ranks each entry of a host list gets, and in which order the entries get them.
//
// Pure.
#pragma once

#include <vector>

#include "base/result.h"
#include "launcher/hostlist/host_list.h"
#include "launcher/mapping/map_ranks.h"

namespace ringmaster::launcher::mapping {

/// The entry of each rank, by its number. `slots` has the slots of each entry, and
/// `options.ranks` is above 0. Fails when slots, or with oversubscribe the hosts' limits, do not
/// suffice.
Result<std::vector<std::size_t>> entries_of_ranks(const hostlist::HostList& list,
                                                  const std::vector<int>& slots,
                                                  const MapOptions& options);

}  // namespace ringmaster::launcher::mapping
