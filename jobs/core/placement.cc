// SPDX-License-Identifier: Apache-2.0
#include "jobs/core/placement.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringmaster::jobs {

std::map<HostId, int> free_slots(const State& state) {
  std::map<HostId, int> free;
  for (const auto& [id, host] : state.hosts) {
    if (host.state == HostState::up || host.state == HostState::draining) free[id] = host.slots;
  }
  for (const auto& [id, job] : state.jobs) {
    for (const RankRecord& rank : job.ranks) {
      if (rank.has_process() && free.contains(rank.host)) --free[rank.host];
    }
  }
  return free;
}

Placement place(const State& state, const Job& job, int at_least) {
  Placement placement;
  auto free = free_slots(state);
  std::erase_if(free, [&](const auto& at) { return !state.hosts.at(at.first).takes_ranks(); });
  int wanted = 0;
  for (const RankRecord& rank : job.ranks) {
    if (rank.state != RankState::absent) continue;
    ++wanted;
    auto at = free.find(rank.host);
    if (at == free.end() || at->second <= 0) {
      at = free.begin();
      while (at != free.end() && at->second <= 0) ++at;
    }
    if (at == free.end()) continue;
    --at->second;
    placement.hosts[rank.id.rank] = at->first;
  }
  const int found = static_cast<int>(placement.hosts.size());
  if (found < wanted) {
    placement.reason =
        fmt::format("{} of {} ranks have a free slot on {} hosts", found, wanted, free.size());
    const auto coming = std::count_if(state.hosts.begin(), state.hosts.end(), [](const auto& at) {
      return at.second.state == HostState::creating;
    });
    if (coming > 0) placement.reason += fmt::format("; {} are being made", coming);
  }
  if (found < at_least) placement.hosts.clear();
  return placement;
}

}  // namespace ringmaster::jobs
