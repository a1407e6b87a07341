// SPDX-License-Identifier: Apache-2.0
//
// The part of a plan that says where ranks are: hosts and wishes in, a place and processors for
// each rank out, with the lines that the user should see.
//
// Without a list this host has as many slots as ranks are asked for: more ranks than cores are a
// usual way to try a program. A list and an allocation are somebody's count, which only
// --oversubscribe exceeds; make_plan counts the GPUs.
//
// Pure.
#pragma once

#include "launcher/plan.h"

namespace ringmaster::launcher {

struct Places {
  mapping::RankMap map;
  std::vector<std::optional<int>> gpus = {};  // of the map's hosts, where they are known
  mapping::Binding binding = {};
  std::vector<std::string> remarks = {};
  int ranks_here = 0;
};

/// `ranks` 0: as many as there is room for; `host` under the name that it has in the list. Fails as
/// map_ranks does, and above kRanksMost ranks.
Result<Places> place_ranks(const RunSettings& settings, int ranks, const HostFacts& host,
                           const HostChoice& hosts);

}  // namespace ringmaster::launcher
