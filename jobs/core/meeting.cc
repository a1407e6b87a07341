// SPDX-License-Identifier: Apache-2.0
#include "jobs/core/meeting.h"

#include <set>

namespace ringmaster::jobs {

Meeting choose_meeting(const State& state, const Job& job, HostId host) {
  if (job.meeting.host == host) return job.meeting;
  const Host& place = state.hosts.at(host);
  std::set<int> taken;
  for (const auto& [id, other] : state.jobs) {
    if (id != job.id && !other.ended() && other.meeting.host == host) {
      taken.insert(other.meeting.port);
    }
  }
  for (const int port : place.ports) {
    if (!taken.contains(port)) return {host, place.address, port};
  }
  return {host, place.address, 0};  // more jobs than it offers: its agent has one for each
}

}  // namespace ringmaster::jobs
