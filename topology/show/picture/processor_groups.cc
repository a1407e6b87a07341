// SPDX-License-Identifier: Apache-2.0
#include "topology/show/picture/processor_groups.h"

#include <algorithm>

namespace ringmaster::topology {

namespace {

bool is_within_node(const MaybePath& path) {
  return path && path->kind > PathClass::nvlink && path->kind < PathClass::sys;
}

bool share_an_adapter(const Topology& machine, std::size_t a, std::size_t b) {
  return std::any_of(machine.nics.begin(), machine.nics.end(), [&](const Nic& nic) {
    return is_within_node(nic.paths[a]) && is_within_node(nic.paths[b]);
  });
}

bool is_nowhere(const Gpu& gpu) {
  return !gpu.numa && !gpu.cpus;
}

bool is_below_one_processor(const Topology& machine, std::size_t a, std::size_t b) {
  const Gpu &one = machine.gpus[a], &other = machine.gpus[b];
  if (one.numa && other.numa) return one.numa == other.numa;
  const MaybePath& path = machine.paths[a][b];
  const bool hidden = !path || path->kind == PathClass::nvlink;
  if (hidden && is_nowhere(one) && is_nowhere(other)) return true;
  const bool same_cpus = one.cpus && !one.cpus->empty() && one.cpus == other.cpus;
  return same_cpus || share_an_adapter(machine, a, b);
}

}  // namespace

std::vector<int> processor_groups(const Topology& machine, const PcieForest& forest) {
  std::vector<int> groups = forest.processor;
  std::vector<std::optional<int>> numa(forest.processor_names.size());
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (machine.gpus[i].numa) numa[static_cast<std::size_t>(groups[i])] = machine.gpus[i].numa;
  }
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (std::size_t j = i + 1; j < groups.size(); ++j) {
      const int low = std::min(groups[i], groups[j]), high = std::max(groups[i], groups[j]);
      if (low == high || !is_below_one_processor(machine, i, j)) continue;
      auto &kept = numa[static_cast<std::size_t>(low)], gone = numa[static_cast<std::size_t>(high)];
      if (kept && gone && kept != gone) continue;
      if (!kept) kept = gone;
      std::replace(groups.begin(), groups.end(), high, low);
    }
  }
  return groups;
}

}  // namespace ringmaster::topology
