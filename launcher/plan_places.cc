// SPDX-License-Identifier: Apache-2.0
#include "launcher/plan_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace ringmaster::launcher {

namespace {

using mapping::Bind;
using mapping::Policy;

Policy policy_of(const RunSettings& settings) {
  if (settings.map == "node") return Policy::node;
  return settings.map == "numa" ? Policy::numa : Policy::slot;
}

Bind bind_of(const RunSettings& settings) {
  if (settings.bind == "core") return Bind::core;
  if (settings.bind == "numa") return Bind::numa;
  return settings.bind == "none" ? Bind::none : Bind::automatic;
}

mapping::HostRoom room_of(const HostFacts& host) {
  return {.cores = host.cores, .gpus = host.gpus, .quota = host.cpus};
}

/// This host as if somebody had listed it.
hostlist::HostList list_of_this(const HostFacts& host, int ranks, int cores_per_rank) {
  const mapping::HostRoom room = room_of(host);
  int slots = ranks;
  if (ranks == 0) {
    slots = mapping::is_known(&room) ? mapping::slots_of_room(room, cores_per_rank) : host.cpus;
  }
  // One rank is the least: a core too few is then said as such.
  return {.hosts = {{.host = host.name, .slots = std::max(1, slots)}}};
}

/// How ranks of this host share processors, or nothing.
std::optional<std::string> sharing(const RunSettings& settings, const HostFacts& host,
                                   const Places& places) {
  std::set<int> used;
  std::set<std::vector<int>> cores;
  std::size_t bound = 0;
  for (std::size_t rank = 0; rank < places.map.ranks.size(); ++rank) {
    const auto& processors = places.binding[rank];
    if (places.map.ranks[rank].host != host.name || processors.empty()) continue;
    used.insert(processors.begin(), processors.end());
    cores.insert(processors);
    ++bound;
  }
  const auto plural = [](std::size_t count) { return count == 1 ? "" : "s"; };
  if (settings.bind == "core" && bound > cores.size()) {
    return fmt::format("{} ranks share {} core{}, to which they are bound in turn", bound,
                       cores.size(), plural(cores.size()));
  }
  if (bound > used.size()) {
    return fmt::format("{} ranks share {} processor{}, to which they are bound", bound, used.size(),
                       plural(used.size()));
  }
  if (host.gpus > 0 || places.ranks_here <= host.cpus) return std::nullopt;
  return fmt::format("{} ranks share {} processor{}", places.ranks_here, host.cpus,
                     plural(static_cast<std::size_t>(host.cpus)));
}

std::string binding_line(const mapping::Placement& place, const std::vector<int>& processors) {
  const std::string where = fmt::format("rank {} on {}: ", place.rank, place.host);
  return where + (processors.empty() ? "not bound"
                                     : "bound to processors " + mapping::numbers_text(processors));
}

void add_remarks(const RunSettings& settings, const HostFacts& host, const HostChoice& hosts,
                 Places& places) {
  places.remarks = hosts.remarks;
  if (auto shared = sharing(settings, host, places)) places.remarks.push_back(std::move(*shared));
  const auto has_cores = [](const mapping::Placement& place) { return !place.cores.empty(); };
  const bool wanted = settings.cores_per_rank > 0 && !host.cores.empty();
  if (wanted && places.ranks_here > 0 && std::ranges::none_of(places.map.ranks, has_cores)) {
    places.remarks.push_back(fmt::format("{} has {} cores: its ranks get none of their own (-c {})",
                                         host.name, host.cores.size(), settings.cores_per_rank));
  }
  if (!settings.report_bindings) return;
  for (std::size_t rank = 0; rank < places.map.ranks.size(); ++rank) {
    places.remarks.push_back(binding_line(places.map.ranks[rank], places.binding[rank]));
  }
}

}  // namespace

bool needs_cores(const RunSettings& settings, const HostChoice& hosts) {
  const bool wished = settings.bind == "core" || settings.bind == "numa" ||
                      settings.cores_per_rank > 0 || settings.map == "numa" ||
                      settings.map == "topo";
  if (wished) return true;
  if (!hosts.list) return settings.program.ranks == 0 && settings.elastic.empty();
  const auto counts_cores = [&](const hostlist::HostEntry& entry) {
    return entry.host == hosts.here && !entry.slots;
  };
  const auto names_cores = [&](const hostlist::RankEntry& rank) {
    return rank.host == hosts.here && !rank.slots.empty();
  };
  return std::ranges::any_of(hosts.list->hosts, counts_cores) ||
         std::ranges::any_of(hosts.list->ranks, names_cores);
}

Result<Places> place_ranks(const RunSettings& settings, int ranks, const HostFacts& host,
                           const HostChoice& hosts) {
  const mapping::MapOptions options = {.policy = policy_of(settings),
                                       .ranks = ranks,
                                       .cores_per_rank = static_cast<int>(settings.cores_per_rank),
                                       .oversubscribe = settings.oversubscribe};
  if (ranks > kRanksMost) {
    return Error{Errc::invalid, fmt::format("{} ranks: at most {}", ranks, kRanksMost)};
  }
  const auto list = hosts.list ? *hosts.list : list_of_this(host, ranks, options.cores_per_rank);
  const mapping::Rooms rooms = {{host.name, room_of(host)}};
  auto map = mapping::map_ranks(list, rooms, options);
  if (!map) return map.error();
  if (map->ranks.size() > static_cast<std::size_t>(kRanksMost)) {
    return Error{Errc::invalid, fmt::format("place a rank on each of {} slots: at most {} (say how "
                                            "many with -np)",
                                            map->ranks.size(), kRanksMost)};
  }
  Places places{.map = std::move(*map)};
  places.binding = mapping::bind_ranks(bind_of(settings), places.map, rooms, options);
  places.gpus.resize(static_cast<std::size_t>(places.map.hosts));
  for (const mapping::Placement& place : places.map.ranks) {
    if (place.host != host.name) continue;
    ++places.ranks_here;
    places.gpus[static_cast<std::size_t>(place.host_index)] = host.gpus;
  }
  add_remarks(settings, host, hosts, places);
  return places;
}

}  // namespace ringmaster::launcher
