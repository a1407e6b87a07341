// SPDX-License-Identifier: Apache-2.0
#include "launcher/contracts/seats.h"

#include <map>
#include <utility>

namespace ringmaster::launcher {

std::vector<Seat> seats_of(const std::vector<int>& hosts) {
  std::map<int, int> order;  // of hosts
  std::vector<int> sizes;    // of each host, in that order
  std::vector<Seat> seats(hosts.size());
  for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
    const auto [at, is_new] = order.try_emplace(hosts[rank], static_cast<int>(order.size()));
    if (is_new) sizes.push_back(0);
    Seat& seat = seats[rank];
    seat.rank = static_cast<int>(rank);
    seat.host = at->second;
    seat.local_rank = sizes[static_cast<std::size_t>(seat.host)]++;
  }
  // Hosts come in the order of their first rank, but a rank list may weave them: so the cross rank
  // is counted over hosts, not over ranks.
  std::map<std::pair<int, int>, int> crossing;  // (local rank, host) -> cross rank
  std::map<int, int> counts;
  for (const Seat& seat : seats) crossing[{seat.local_rank, seat.host}] = 0;
  for (auto& [key, number] : crossing) number = counts[key.first]++;
  for (Seat& seat : seats) {
    seat.local_size = sizes[static_cast<std::size_t>(seat.host)];
    seat.cross_rank = crossing.at({seat.local_rank, seat.host});
    seat.cross_size = counts.at(seat.local_rank);
  }
  return seats;
}

}  // namespace ringmaster::launcher
