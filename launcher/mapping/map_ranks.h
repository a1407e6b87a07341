// SPDX-License-Identifier: Apache-2.0
//
// Which rank runs where: host list and wishes in, a place for each rank out, or why there is none.
//
// In two steps. First how many ranks each entry of the list gets: its slots, and when ranks are
// still left and may share, one more to each host in turn, up to its limit. Then who they are: by
// slot, an entry's ranks are neighbours, so a ring crosses between hosts as seldom as it can; by
// node, one to each host in turn. By numa is by slot, and on a host in turn to its NUMA domains.
//
// Open MPI's manual numbers shared slots in another order (0 1 and 4 5 on the first host of two);
// its version 4.1.4 does as is done here.
//
// Hosts that have not been looked at get their ranks, which choose cores there when it has been.
//
// Pure. Not here: binding (bind_ranks.h), devices, and the ranks of later generations, which the
// core places.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "launcher/hostlist/host_list.h"
#include "launcher/mapping/room.h"

namespace ringmaster::launcher::mapping {

/// Ranks of one job; far above what is ever started.
inline constexpr int kRanksMax = 1 << 20;

enum class Policy { slot, node, numa };

struct MapOptions {
  Policy policy = Policy::slot;
  int ranks = 0;               // 0: one for each slot, or for each line of a rank file
  int cores_per_rank = 0;      // 0: ranks get no cores of their own
  bool oversubscribe = false;  // ranks may share slots and cores
};

struct Placement {
  int rank = 0;
  std::string host = {};
  int host_index = 0;  // hosts that have ranks, in the order of their first rank
  int local_rank = 0, local_size = 0;
  int cross_rank = 0, cross_size = 0;  // among the ranks of the same local rank, by host
  int slot = 0;                        // the slot's own number: its GPU, where slots are GPUs
  std::optional<int> domain = {};      // the NUMA domain, where it is decided here
  std::vector<int> cores = {};         // processors of the rank's own ones; empty: any
};

struct RankMap {
  std::vector<Placement> ranks = {};  // by number
  int hosts = 0;                      // that have ranks
  bool oversubscribed = false;        // some ranks share slots
};

/// Places the ranks. A list with ranks of its own (a rank file) is followed; it takes no policy but
/// slot and no cores_per_rank. Errors are one line: what was asked, what is there, what to try;
/// Errc::exhausted when slots or cores do not suffice.
Result<RankMap> map_ranks(const hostlist::HostList& list, const Rooms& rooms,
                          const MapOptions& options);

}  // namespace ringmaster::launcher::mapping
