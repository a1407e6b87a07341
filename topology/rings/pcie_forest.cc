// SPDX-License-Identifier: Apache-2.0
#include "topology/rings/pcie_forest.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "topology/pci_paths.h"

namespace ringmaster::topology {

namespace {

/// GPUs in groups, each named by its first member.
class Groups {
 public:
  explicit Groups(std::size_t count) : first_(count) { std::iota(first_.begin(), first_.end(), 0); }

  void join(std::size_t a, std::size_t b) {
    const int low = std::min(first_[a], first_[b]), high = std::max(first_[a], first_[b]);
    std::replace(first_.begin(), first_.end(), high, low);
  }
  int of(std::size_t gpu) const { return first_[gpu]; }
  bool is_alone(std::size_t gpu) const {
    return std::count(first_.begin(), first_.end(), first_[gpu]) == 1;
  }

 private:
  std::vector<int> first_;
};

bool is_within(const MaybePath& path, PathClass farthest) {
  return path && path->kind != PathClass::self && path->kind != PathClass::nvlink &&
         path->kind <= farthest;
}

/// Those that reach each other without passing what is beyond `farthest`.
Groups groups_within(const Topology& machine, PathClass farthest) {
  Groups groups(machine.gpus.size());
  for (std::size_t i = 0; i < machine.gpus.size(); ++i) {
    for (std::size_t j = i + 1; j < machine.gpus.size(); ++j) {
      if (is_within(machine.paths[i][j], farthest)) groups.join(i, j);
    }
  }
  return groups;
}

/// NUMA nodes: by number where it is known, since drivers tell SYS also within one; else by paths.
void find_processors(const Topology& machine, PcieForest& forest) {
  Groups groups = groups_within(machine, PathClass::node);
  for (std::size_t i = 0; i < machine.gpus.size(); ++i) {
    for (std::size_t j = i + 1; j < machine.gpus.size(); ++j) {
      if (machine.gpus[i].numa && machine.gpus[i].numa == machine.gpus[j].numa) groups.join(i, j);
    }
  }
  std::vector<int> numbers(machine.gpus.size(), -1);
  for (std::size_t i = 0; i < machine.gpus.size(); ++i) {
    int& number = numbers[static_cast<std::size_t>(groups.of(i))];
    if (number < 0) {
      number = static_cast<int>(forest.processor_names.size());
      const Gpu& gpu = machine.gpus[i];
      forest.processor_names.push_back(gpu.numa ? fmt::format("NUMA node {}", *gpu.numa)
                                                : fmt::format("GPU{}'s processor", gpu.index));
    }
    forest.processor.push_back(number);
  }
}

std::string gpu_place_name(const Gpu& gpu) {
  return fmt::format("GPU{}", gpu.index);
}

void take_tree(const Topology& machine, PcieForest& forest) {
  const double usual = usual_gt_s(machine);
  for (const PciDevice& device : machine.pci) {
    forest.places.push_back(
        {device.parent, "switch " + device.bus_id, pcie_speed(device.link, usual)});
  }
  for (const Gpu& gpu : machine.gpus) {
    const std::size_t at = *find_pci(machine.pci, *gpu.bus_id);
    forest.places[at].name = gpu_place_name(gpu);
    if (gpu.health.pcie.gt_s) forest.places[at].up = pcie_speed(gpu.health.pcie, usual);
    forest.of_gpu.push_back(static_cast<int>(at));
  }
}

/// A bridge for each group of several: PIX share a switch, PXB the switch above those.
void take_classes(const Topology& machine, PcieForest& forest) {
  const Speed up = pcie_speed({}, usual_gt_s(machine));
  const Groups switches = groups_within(machine, PathClass::pix);
  const Groups upper = groups_within(machine, PathClass::pxb);
  const std::size_t count = machine.gpus.size();
  std::vector<int> of_switch(count, -1), of_upper(count, -1);
  const auto bridge = [&](const Groups& groups, std::size_t gpu, std::vector<int>& made,
                          int above) {
    if (groups.is_alone(gpu)) return above;
    int& place = made[static_cast<std::size_t>(groups.of(gpu))];
    if (place < 0) {
      place = static_cast<int>(forest.places.size());
      forest.places.push_back(
          {above, fmt::format("the switch above {}", gpu_place_name(machine.gpus[gpu])), up});
    }
    return place;
  };
  for (std::size_t i = 0; i < count; ++i) {
    // Where both levels hold the same GPUs there is one switch.
    const bool twice =
        upper.of(i) == switches.of(i) &&
        std::none_of(machine.paths[i].begin(), machine.paths[i].end(),
                     [](const MaybePath& path) { return path && path->kind == PathClass::pxb; });
    const int above = twice ? -1 : bridge(upper, i, of_upper, -1);
    const int parent = bridge(switches, i, of_switch, above);
    forest.of_gpu.push_back(static_cast<int>(forest.places.size()));
    forest.places.push_back({parent, gpu_place_name(machine.gpus[i]), up});
  }
}

}  // namespace

PcieForest find_forest(const Topology& machine) {
  PcieForest forest;
  find_processors(machine, forest);
  const bool placed = std::all_of(machine.gpus.begin(), machine.gpus.end(), [&](const Gpu& gpu) {
    return gpu.bus_id && find_pci(machine.pci, *gpu.bus_id);
  });
  if (placed) {
    take_tree(machine, forest);
  } else {
    take_classes(machine, forest);
  }
  return forest;
}

}  // namespace ringmaster::topology
