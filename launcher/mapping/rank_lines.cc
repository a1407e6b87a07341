// SPDX-License-Identifier: Apache-2.0
#include "launcher/mapping/rank_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "launcher/mapping/core_choice.h"

namespace ringmaster::launcher::mapping {

namespace {

Result<Placement> place_of_line(const hostlist::RankEntry& line, const Rooms& rooms) {
  Placement place{.host = line.host};
  const HostRoom* room = find_room(rooms, line.host);
  if (line.slots.empty() || room == nullptr || room->cores.empty()) return place;
  auto cores = named_cores(line.slots, *room);
  if (!cores) {
    return Error{cores.error().code, fmt::format("place rank {} on cores {} of {}: {}", line.rank,
                                                 line.slots, line.host, cores.error().message)};
  }
  place.cores = std::move(*cores);
  return place;
}

/// Refuses a core that two ranks would have, unless they may share.
Result<void> check_cores_once(const hostlist::HostList& list, const std::vector<Placement>& places,
                              const MapOptions& options) {
  if (options.oversubscribe) return {};
  std::map<std::pair<std::string_view, int>, std::size_t> owners;
  for (std::size_t rank = 0; rank < places.size(); ++rank) {
    for (const int processor : places[rank].cores) {
      const auto [at, fresh] = owners.emplace(std::pair(places[rank].host, processor), rank);
      if (fresh) continue;
      return Error{Errc::exhausted,
                   fmt::format("place rank {} on cores {} of {}: rank {} has one of them already "
                               "(name others, or --oversubscribe)",
                               rank, list.ranks[rank].slots, places[rank].host, at->second)};
    }
  }
  return {};
}

struct Counted {
  long long slots = 0, max = kRanksMax, ranks = 0;
  bool known = true;  // whether the list or the room says how many slots there are
};

Error too_many_on(const std::string& host, const Counted& counted, bool at_limit) {
  return {Errc::exhausted,
          fmt::format("place {} ranks on {}: it has {} {} ({})", counted.ranks, host,
                      at_limit ? counted.max : counted.slots, at_limit ? "at most" : "slots",
                      at_limit ? "raise max_slots, or move ranks to another host"
                               : "move ranks to another host, or --oversubscribe")};
}

}  // namespace

Result<std::vector<Placement>> places_of_lines(const hostlist::HostList& list, const Rooms& rooms,
                                               const MapOptions& options) {
  const auto wanted =
      options.ranks == 0 ? list.ranks.size() : static_cast<std::size_t>(options.ranks);
  if (wanted > list.ranks.size()) {
    return Error{Errc::invalid, fmt::format("place {} ranks: the rank file has {} (add lines, or "
                                            "ask for fewer)",
                                            wanted, list.ranks.size())};
  }
  std::vector<Placement> places;
  for (std::size_t rank = 0; rank < wanted; ++rank) {
    auto place = place_of_line(list.ranks[rank], rooms);
    if (!place) return place.error();
    places.push_back(std::move(*place));
  }
  if (auto fine = check_cores_once(list, places, options); !fine) return fine.error();
  return places;
}

Result<std::vector<int>> slots_of_ranked(const hostlist::HostList& list, const Rooms& rooms,
                                         const std::vector<Placement>& ranks,
                                         const MapOptions& options) {
  std::unordered_map<std::string_view, Counted> of_host;
  for (const hostlist::HostEntry& entry : list.hosts) {
    Counted& counted = of_host[entry.host];
    counted.slots += entry.slots.value_or(0);
    counted.max = std::min<long long>(counted.max, entry.max.value_or(kRanksMax));
    if (entry.slots) continue;
    const HostRoom* room = find_room(rooms, entry.host);
    counted.known = is_known(room);
  }
  for (const Placement& place : ranks) ++of_host.at(place.host).ranks;
  std::vector<int> slots;
  for (const hostlist::HostEntry& entry : list.hosts) {
    Counted& counted = of_host.at(entry.host);
    if (!entry.slots && counted.known) {
      counted.slots = slots_of_room(*find_room(rooms, entry.host), 0);
    }
    if (!counted.known) counted.slots = std::max(counted.slots, counted.ranks);
    if (counted.ranks > counted.max) return too_many_on(entry.host, counted, true);
    const bool too_many = counted.ranks > counted.slots;
    if (too_many && (!options.oversubscribe || counted.slots == 0)) {
      return too_many_on(entry.host, counted, false);
    }
    slots.push_back(entry.slots.value_or(static_cast<int>(counted.slots)));
  }
  return slots;
}

}  // namespace ringmaster::launcher::mapping
