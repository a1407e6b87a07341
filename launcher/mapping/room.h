// SPDX-License-Identifier: Apache-2.0
//
// What hosts have, as far as the placing of ranks depends on it, and how many slots the entries of
// a host list come to with that.
//
// Pure: looking at hosts is for others.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "launcher/hostlist/host_list.h"

namespace ringmaster::launcher::mapping {

/// A core with the host's own numbers: of itself, of its NUMA domain and of its package.
struct Core {
  int id = 0, domain = 0, package = 0;
};

struct HostRoom {
  std::vector<Core> cores = {};  // those that ranks may use, neighbours beside each other
  int gpus = 0;
};

/// By the names of the host list. A host that is not there has not been looked at.
using Rooms = std::map<std::string, HostRoom, std::less<>>;

/// The room of a host, or null.
const HostRoom* find_room(const Rooms& rooms, const std::string& host);

/// The slots of each entry of the list, in its order. An entry without a number has what its host
/// has: its GPUs, or its cores when it has none (divided by `cores_per_rank`, when that is not 0),
/// less what other entries of the same host take. Fails when a host would have to be looked at.
Result<std::vector<int>> slots_of_entries(const hostlist::HostList& list, const Rooms& rooms,
                                          int cores_per_rank);

}  // namespace ringmaster::launcher::mapping
