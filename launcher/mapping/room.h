// SPDX-License-Identifier: Apache-2.0
//
// What hosts have, as far as the placing of ranks depends on it, and how many slots the entries of
// a host list come to with that.
//
// Pure: looking at hosts is for others (launcher/host_cores.h).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "launcher/hostlist/host_list.h"

namespace ringmaster::launcher::mapping {

/// A core that ranks may use, with the host's own numbers.
struct Core {
  std::vector<int> processors = {};  // its hardware threads, as the kernel counts them, ascending
  int domain = 0;                    // of memory (NUMA)
  int package = 0;
};

struct HostRoom {
  std::vector<Core> cores = {};  // those that ranks may use, neighbours beside each other
  int gpus = 0;
  int quota = 0;  // processors' worth of time that a control group leaves; 0: no such limit
};

/// By the names of the host list. A host that is not there has not been looked at.
using Rooms = std::map<std::string, HostRoom, std::less<>>;

/// The room of a host, or null.
const HostRoom* find_room(const Rooms& rooms, const std::string& host);

/// Whether it says how many ranks the host has room for.
bool is_known(const HostRoom* room);

/// How many ranks of so many cores (0: of one, which they may share) a known host has room for: its
/// GPUs, or its cores when it has none, and no more than its quota.
int slots_of_room(const HostRoom& room, int cores_per_rank);

/// The slots of each entry of the list, in its order. An entry without a number has what its host
/// has, less what other entries of the same host take. Fails when a host would have to be looked
/// at.
Result<std::vector<int>> slots_of_entries(const hostlist::HostList& list, const Rooms& rooms,
                                          int cores_per_rank);

}  // namespace ringmaster::launcher::mapping
