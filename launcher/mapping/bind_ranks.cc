// SPDX-License-Identifier: Apache-2.0
#include "launcher/mapping/bind_ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "launcher/mapping/core_choice.h"

namespace ringmaster::launcher::mapping {

namespace {

/// A host's cores in the order of turns: by numa the first of each domain, then the second.
std::vector<const Core*> cores_in_turn(const HostRoom& room, Policy policy) {
  std::map<int, std::vector<const Core*>> of_domain;
  for (const Core& core : room.cores) {
    of_domain[policy == Policy::numa ? core.domain : 0].push_back(&core);
  }
  std::vector<const Core*> cores;
  for (std::size_t row = 0; cores.size() < room.cores.size(); ++row) {
    if (of_domain.size() == 1) return of_domain.begin()->second;
    for (const auto& [domain, inside] : of_domain) {
      if (row < inside.size()) cores.push_back(inside[row]);
    }
  }
  return cores;
}

/// As many cores as a rank asks for (one, where it asks for none), behind those of the rank before.
std::vector<int> own_turn(const std::vector<const Core*>& cores, int local_rank, int each) {
  const auto count = std::min(static_cast<std::size_t>(std::max(1, each)), cores.size());
  std::vector<int> processors;
  for (std::size_t i = 0; i < count; ++i) {
    const Core& core = *cores[(static_cast<std::size_t>(local_rank) * count + i) % cores.size()];
    processors.insert(processors.end(), core.processors.begin(), core.processors.end());
  }
  std::ranges::sort(processors);
  return processors;
}

/// The domains of the rank's cores, the one that the map chose for it, or the one whose turn it is.
std::set<int> domains_of(const Placement& place, const HostRoom& room) {
  std::set<int> of_cores, all;
  for (const Core& core : room.cores) {
    all.insert(core.domain);
    const bool own =
        !core.processors.empty() && std::ranges::count(place.cores, core.processors.front()) > 0;
    if (own) of_cores.insert(core.domain);
  }
  if (!of_cores.empty()) return of_cores;
  if (place.domain) return {*place.domain};
  const auto turn = static_cast<std::size_t>(place.local_rank) % all.size();
  return {*std::next(all.begin(), static_cast<std::ptrdiff_t>(turn))};
}

std::vector<int> processors_in(const HostRoom& room, const std::set<int>& domains) {
  std::vector<int> processors;
  for (const Core& core : room.cores) {
    if (!domains.contains(core.domain)) continue;
    processors.insert(processors.end(), core.processors.begin(), core.processors.end());
  }
  std::ranges::sort(processors);
  return processors;
}

std::vector<int> bind_rank(Bind bind, const Placement& place, const HostRoom& room,
                           const MapOptions& options) {
  switch (bind) {
    case Bind::none:
      return {};
    case Bind::automatic:
      if (!place.cores.empty()) return place.cores;
      return place.domain ? processors_in(room, {*place.domain}) : std::vector<int>{};
    case Bind::core:
      if (!place.cores.empty()) return place.cores;
      return own_turn(cores_in_turn(room, options.policy), place.local_rank,
                      options.cores_per_rank);
    case Bind::numa:
      return processors_in(room, domains_of(place, room));
  }
  CHECK(false);
}

}  // namespace

Binding bind_ranks(Bind bind, const RankMap& map, const Rooms& rooms, const MapOptions& options) {
  Binding binding(map.ranks.size());
  if (bind == Bind::none) return binding;
  for (std::size_t rank = 0; rank < map.ranks.size(); ++rank) {
    const HostRoom* room = find_room(rooms, map.ranks[rank].host);
    if (room == nullptr || room->cores.empty()) continue;
    binding[rank] = bind_rank(bind, map.ranks[rank], *room, options);
  }
  return binding;
}

std::string numbers_text(const std::vector<int>& numbers) {
  std::string text;
  for (std::size_t first = 0, last; first < numbers.size(); first = last + 1) {
    last = first;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", numbers[first]);
    if (last > first) text += fmt::format("-{}", numbers[last]);
  }
  return text;
}

}  // namespace ringmaster::launcher::mapping
