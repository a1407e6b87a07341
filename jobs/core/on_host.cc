// SPDX-License-Identifier: Apache-2.0
//
// A host came or went.
#include <fmt/format.h>

#include "base/check.h"
#include "jobs/core/handlers.h"

namespace ringmaster::jobs {

void on_host_joined(State& state, Time, const HostJoined& event, Actions&) {
  CHECK_LT(0, event.slots);
  CHECK(!state.hosts.contains(event.host));
  state.hosts[event.host] = {event.host, event.name, event.slots};
}

void on_host_lost(State& state, Time now, const HostLost& event, Actions& actions) {
  const auto host = state.hosts.find(event.host);
  if (host == state.hosts.end()) return;
  const std::string why = fmt::format("host {} lost: {}", host->second.name, event.why);
  state.hosts.erase(host);
  for (auto& [id, job] : state.jobs) {
    for (RankRecord& rank : job.ranks) {
      if (rank.has_process() && rank.host == event.host) lose_rank(job, rank, now, why, actions);
    }
  }
}

}  // namespace ringmaster::jobs
