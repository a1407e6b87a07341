// SPDX-License-Identifier: Apache-2.0
#include "launcher/binding.h"

#include <fmt/format.h>
#include <hwloc.h>

#include <algorithm>
#include <map>
#include <memory>

#include "base/cpus.h"

namespace ringmaster::launcher {

namespace {

struct TopologyEnd {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};

/// Processors of each place, places in the order of their first processor.
std::vector<std::vector<int>> places_of(Bind bind, const std::vector<Processor>& processors) {
  std::map<int, std::vector<int>> by_number;
  for (const Processor& processor : processors) {
    by_number[bind == Bind::core ? processor.core : processor.node].push_back(processor.number);
  }
  std::vector<std::vector<int>> places;
  for (auto& [number, inside] : by_number) {
    std::sort(inside.begin(), inside.end());
    places.push_back(std::move(inside));
  }
  std::sort(places.begin(), places.end());
  return places;
}

}  // namespace

Bind bind_of(const std::string& name) {
  if (name == "core") return Bind::core;
  return name == "numa" ? Bind::numa : Bind::none;
}

std::vector<Processor> read_processors() {
  hwloc_topology* made = nullptr;
  if (hwloc_topology_init(&made) != 0) return {};
  const std::unique_ptr<hwloc_topology, TopologyEnd> topology(made);
  hwloc_topology_set_all_types_filter(made, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_type_filter(made, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
  if (hwloc_topology_load(made) != 0) return {};
  const std::vector<int> allowed = read_allowed_cpus();
  std::vector<Processor> processors;
  for (hwloc_obj_t unit = nullptr;
       (unit = hwloc_get_next_obj_by_type(made, HWLOC_OBJ_PU, unit)) != nullptr;) {
    const auto number = static_cast<int>(unit->os_index);
    if (std::find(allowed.begin(), allowed.end(), number) == allowed.end()) continue;
    const hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(made, HWLOC_OBJ_CORE, unit);
    processors.push_back({.number = number,
                          .core = core == nullptr ? number : static_cast<int>(core->logical_index),
                          .node = std::max(0, hwloc_bitmap_first(unit->nodeset))});
  }
  return processors;
}

std::vector<std::vector<int>> bind_ranks(Bind bind, int ranks,
                                         const std::vector<Processor>& processors) {
  std::vector<std::vector<int>> bound(static_cast<std::size_t>(ranks));
  if (bind == Bind::none || processors.empty()) return bound;
  const auto places = places_of(bind, processors);
  for (std::size_t rank = 0; rank < bound.size(); ++rank) {
    bound[rank] = places[rank % places.size()];
  }
  return bound;
}

std::string processors_text(const std::vector<int>& processors) {
  std::string text;
  for (std::size_t first = 0, last; first < processors.size(); first = last + 1) {
    last = first;
    while (last + 1 < processors.size() && processors[last + 1] == processors[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", processors[first]);
    if (last > first) text += fmt::format("-{}", processors[last]);
  }
  return text;
}

}  // namespace ringmaster::launcher
