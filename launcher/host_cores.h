// SPDX-License-Identifier: Apache-2.0
//
// Looks at the cores of this host, with hwloc, which takes some milliseconds: only where ranks are
// bound, or are counted by cores.
#pragma once

#include <vector>

#include "launcher/mapping/room.h"

namespace ringmaster::launcher {

/// The cores that this process may use (its affinity, which a cpuset cuts), neighbours beside each
/// other; a core of which only one thread may be used has that one. Where hwloc cannot see the
/// machine, each processor counts as a core.
std::vector<mapping::Core> read_cores();

}  // namespace ringmaster::launcher
