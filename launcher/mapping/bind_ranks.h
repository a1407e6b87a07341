// SPDX-License-Identifier: Apache-2.0
//
// Which processors each rank may run on. Ranks that share processors keep apart that way: a
// scheduler that is free to move them lets three share one while another has a single one, and two
// that wait for each other end up on the same.
//
// Ranks that were given cores keep them. Others take the host's cores, or its NUMA domains, in
// turn, the first again when all are taken: ranks that outnumber cores share them evenly. Binding
// refuses nothing (whether ranks may share is a matter of slots and of cores_per_rank); who calls
// it says what is shared.
//
// Pure.
#pragma once

#include <string>
#include <vector>

#include "launcher/mapping/map_ranks.h"

namespace ringmaster::launcher::mapping {

/// automatic: to the cores or the domain that the map chose, where it did.
enum class Bind { automatic, none, core, numa };

/// The processors of each rank in ascending order; empty: not bound, or on a host that was not
/// looked at.
using Binding = std::vector<std::vector<int>>;

/// `options` are those that the map was made with.
Binding bind_ranks(Bind bind, const RankMap& map, const Rooms& rooms, const MapOptions& options);

/// "0-3,8": for people. `numbers` ascending.
std::string numbers_text(const std::vector<int>& numbers);

}  // namespace ringmaster::launcher::mapping
