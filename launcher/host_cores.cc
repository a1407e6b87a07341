// SPDX-License-Identifier: Apache-2.0
#include "launcher/host_cores.h"

#include <hwloc.h>

#include <algorithm>
#include <memory>

#include "base/cpus.h"

namespace ringmaster::launcher {

namespace {

struct TopologyEnd {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};
using TopologyHandle = std::unique_ptr<hwloc_topology, TopologyEnd>;

TopologyHandle load_topology() {
  hwloc_topology* made = nullptr;
  if (hwloc_topology_init(&made) != 0) return {};
  TopologyHandle topology(made);
  hwloc_topology_set_all_types_filter(made, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_type_filter(made, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
  hwloc_topology_set_type_filter(made, HWLOC_OBJ_PACKAGE, HWLOC_TYPE_FILTER_KEEP_ALL);
  if (hwloc_topology_load(made) != 0) return {};
  return topology;
}

int number_of(hwloc_obj_t part, int otherwise) {
  return part == nullptr ? otherwise : static_cast<int>(part->logical_index);
}

std::vector<mapping::Core> cores_seen(hwloc_topology* topology, const std::vector<int>& allowed) {
  std::vector<mapping::Core> cores;
  hwloc_obj_t last = nullptr;
  for (hwloc_obj_t unit = nullptr;
       (unit = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, unit)) != nullptr;) {
    const auto number = static_cast<int>(unit->os_index);
    if (!std::ranges::binary_search(allowed, number)) continue;
    const hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, unit);
    const hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_PACKAGE, unit);
    // Threads of a core come one after the other; where cores are not seen each thread is one.
    if (cores.empty() || core == nullptr || core != last) {
      cores.push_back({.domain = std::max(0, hwloc_bitmap_first(unit->nodeset)),
                       .package = number_of(package, 0)});
    }
    cores.back().processors.push_back(number);
    last = core;
  }
  for (mapping::Core& core : cores) std::ranges::sort(core.processors);
  return cores;
}

}  // namespace

std::vector<mapping::Core> read_cores() {
  const std::vector<int> allowed = read_allowed_cpus();
  const TopologyHandle topology = load_topology();
  auto cores = topology ? cores_seen(topology.get(), allowed) : std::vector<mapping::Core>{};
  for (const int number : allowed) {
    const bool seen = std::ranges::any_of(cores, [&](const mapping::Core& core) {
      return std::ranges::binary_search(core.processors, number);
    });
    if (!seen) cores.push_back({.processors = {number}});
  }
  return cores;
}

}  // namespace ringmaster::launcher
