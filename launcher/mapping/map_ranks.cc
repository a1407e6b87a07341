// SPDX-License-Identifier: Apache-2.0
#include "launcher/mapping/map_ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "launcher/mapping/core_choice.h"
#include "launcher/mapping/rank_lines.h"
#include "launcher/mapping/shares.h"

namespace ringmaster::launcher::mapping {

namespace {

/// The ranks of a map by their hosts, which are numbered as they come.
using RanksOfHosts = std::vector<std::vector<std::size_t>>;

RanksOfHosts number_hosts(RankMap& map) {
  std::unordered_map<std::string_view, std::size_t> index;
  RanksOfHosts of_hosts;
  for (std::size_t rank = 0; rank < map.ranks.size(); ++rank) {
    Placement& place = map.ranks[rank];
    const auto [at, fresh] = index.emplace(place.host, of_hosts.size());
    if (fresh) of_hosts.emplace_back();
    place.rank = static_cast<int>(rank);
    place.host_index = static_cast<int>(at->second);
    place.local_rank = static_cast<int>(of_hosts[at->second].size());
    of_hosts[at->second].push_back(rank);
  }
  map.hosts = static_cast<int>(of_hosts.size());
  return of_hosts;
}

/// Sizes, and the ranks across hosts: hosts differ in size, so each local rank has its own count.
void number_across(RankMap& map, const RanksOfHosts& of_hosts) {
  std::vector<int> across;
  for (const auto& ranks : of_hosts) {
    across.resize(std::max(across.size(), ranks.size()));
    for (std::size_t local = 0; local < ranks.size(); ++local) {
      map.ranks[ranks[local]].local_size = static_cast<int>(ranks.size());
      map.ranks[ranks[local]].cross_rank = across[local]++;
    }
  }
  for (Placement& place : map.ranks) {
    place.cross_size = across[static_cast<std::size_t>(place.local_rank)];
  }
}

/// Gives each rank a slot of its host; the slots come again when they are too few.
void give_slots(RankMap& map, const hostlist::HostList& list, const std::vector<int>& slots) {
  struct HostSlots {
    int count = 0;
    const std::vector<int>* ids = nullptr;
  };
  std::unordered_map<std::string_view, HostSlots> of_host;
  for (std::size_t i = 0; i < list.hosts.size(); ++i) {
    HostSlots& host = of_host[list.hosts[i].host];
    host.count += slots[i];
    if (!list.hosts[i].slot_ids.empty()) host.ids = &list.hosts[i].slot_ids;
  }
  for (Placement& place : map.ranks) {
    const HostSlots& host = of_host.at(place.host);
    CHECK_LT(0, host.count);
    map.oversubscribed = map.oversubscribed || place.local_size > host.count;
    place.slot = place.local_rank % host.count;
    if (host.ids != nullptr) place.slot = (*host.ids)[static_cast<std::size_t>(place.slot)];
  }
}

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

Result<void> give_cores(RankMap& map, const RanksOfHosts& of_hosts, const Rooms& rooms,
                        const MapOptions& options) {
  if (options.cores_per_rank == 0 && options.policy != Policy::numa) return {};
  for (const auto& ranks : of_hosts) {
    const std::string& host = map.ranks[ranks.front()].host;
    const HostRoom* room = find_room(rooms, host);
    if (room == nullptr || room->cores.empty()) continue;
    const auto choices =
        choose_cores(*room, static_cast<int>(ranks.size()), options.cores_per_rank, options.policy);
    if (!choices && !options.oversubscribe) {
      return Error{
          Errc::exhausted,
          fmt::format("place {} of {} on {}: it has {} (ask for fewer, or --oversubscribe)",
                      counted(ranks.size(), "rank"),
                      counted(static_cast<std::size_t>(options.cores_per_rank), "core"), host,
                      counted(room->cores.size(), "core"))};
    }
    // Where cores are too few no rank of the host has its own: some bound and some not would be
    // worse than none.
    if (!choices) continue;
    for (std::size_t local = 0; local < ranks.size(); ++local) {
      map.ranks[ranks[local]].cores = (*choices)[local].cores;
      map.ranks[ranks[local]].domain = (*choices)[local].domain;
    }
  }
  return {};
}

Result<RankMap> map_by_policy(const hostlist::HostList& list, const Rooms& rooms,
                              MapOptions options) {
  const auto slots = slots_of_entries(list, rooms, options.cores_per_rank);
  if (!slots) return slots.error();
  const long long all = std::accumulate(slots->begin(), slots->end(), 0LL);
  if (options.ranks == 0) {
    if (all == 0 || all > kRanksMax) {
      return Error{Errc::invalid, fmt::format("place a rank on each slot: there are {} slots, and "
                                              "a job has 1 to {} ranks (say how many)",
                                              all, kRanksMax)};
    }
    options.ranks = static_cast<int>(all);
  }
  const auto entries = entries_of_ranks(list, *slots, options);
  if (!entries) return entries.error();
  RankMap map;
  map.ranks.resize(entries->size());
  for (std::size_t rank = 0; rank < entries->size(); ++rank) {
    map.ranks[rank].host = list.hosts[(*entries)[rank]].host;
  }
  const RanksOfHosts of_hosts = number_hosts(map);
  number_across(map, of_hosts);
  give_slots(map, list, *slots);
  if (auto given = give_cores(map, of_hosts, rooms, options); !given) return given.error();
  return map;
}

Result<RankMap> map_by_lines(const hostlist::HostList& list, const Rooms& rooms,
                             const MapOptions& options) {
  if (options.policy != Policy::slot || options.cores_per_rank != 0) {
    return Error{Errc::invalid,
                 "place ranks by a rank file and by another rule at once: the file says where each "
                 "one is (leave out --map and -c)"};
  }
  auto places = places_of_lines(list, rooms, options);
  if (!places) return places.error();
  RankMap map{.ranks = std::move(*places)};
  const RanksOfHosts of_hosts = number_hosts(map);
  number_across(map, of_hosts);
  const auto slots = slots_of_ranked(list, rooms, map.ranks, options);
  if (!slots) return slots.error();
  give_slots(map, list, *slots);
  return map;
}

}  // namespace

Result<RankMap> map_ranks(const hostlist::HostList& list, const Rooms& rooms,
                          const MapOptions& options) {
  CHECK(!list.hosts.empty());
  CHECK_LE(0, options.cores_per_rank);
  if (options.ranks < 0 || options.ranks > kRanksMax) {
    return Error{Errc::invalid,
                 fmt::format("place {} ranks: a job has 1 to {}", options.ranks, kRanksMax)};
  }
  return list.ranks.empty() ? map_by_policy(list, rooms, options)
                            : map_by_lines(list, rooms, options);
}

}  // namespace ringmaster::launcher::mapping
