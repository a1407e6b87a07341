// SPDX-License-Identifier: Apache-2.0
//
// For tests: machines made of links, of a switch, of random trees. Header only.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/random.h"
#include "topology/fabric.h"
#include "topology/pci_paths.h"
#include "topology/rings/wires.h"

namespace ringmaster::topology {

/// GPUs of which nothing is known but links.
inline Topology linked_machine(int gpus, std::vector<Link> links) {
  Topology machine;
  for (int i = 0; i < gpus; ++i) machine.gpus.push_back({.index = i});
  machine.links = std::move(links);
  machine.fabric = fabric_of(machine.gpus.size(), machine.links);
  fill_paths(machine);
  check_topology(machine);
  return machine;
}

/// Links of 20 GB/s; other pairs reach each other over PCIe and processors.
inline Wires linked_wires(int gpus, std::vector<Link> links) {
  return find_wires(linked_machine(gpus, std::move(links)));
}

inline Wires switched_wires(int gpus, double gb_s) {
  Wires made;
  for (int i = 0; i < gpus; ++i) made.wires.push_back({"GPU" + std::to_string(i), gb_s, 1, true});
  made.routes.assign(made.wires.size(), std::vector<Route>(made.wires.size()));
  for (int i = 0; i < gpus; ++i) {
    for (int j = 0; j < gpus; ++j) {
      if (i == j) continue;
      made.routes[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] = {{i, true},
                                                                               {j, false}};
    }
  }
  return made;
}

inline std::vector<Link> cube_mesh() {
  return {{0, 1, 1}, {0, 2, 1}, {0, 3, 2}, {0, 4, 2}, {1, 2, 2}, {1, 3, 1}, {1, 5, 2}, {2, 3, 2},
          {2, 6, 1}, {3, 7, 1}, {4, 5, 1}, {4, 6, 1}, {4, 7, 2}, {5, 6, 2}, {5, 7, 1}, {6, 7, 2}};
}

/// 3 to 8 GPUs with at most six links each, as V100 have.
inline Wires random_linked_wires(Random& random) {
  const int gpus = 3 + static_cast<int>(random.below(6));
  std::vector<int> left(static_cast<std::size_t>(gpus), 6);
  std::vector<Link> links;
  for (int a = 0; a < gpus; ++a) {
    for (int b = a + 1; b < gpus; ++b) {
      auto &from = left[static_cast<std::size_t>(a)], &to = left[static_cast<std::size_t>(b)];
      const int count = std::min({static_cast<int>(random.below(4)), from, to});
      if (count == 0) continue;
      from -= count;
      to -= count;
      links.push_back({a, b, count});
    }
  }
  return linked_wires(gpus, links);
}

/// GPUs below random switches of two processors, some of them linked in pairs.
inline Wires random_tree_wires(Random& random, int gpus_most) {
  Topology machine;
  const int gpus = 2 + static_cast<int>(random.below(static_cast<std::size_t>(gpus_most) - 1));
  const auto bus_id = [](std::size_t number) {
    const std::string digits = std::to_string(10 + number);
    return "0000:" + digits + ":00.0";
  };
  for (int i = 0; i < 6; ++i) {
    PciDevice bridge{.bus_id = bus_id(machine.pci.size())};
    // Some below another one of the same processor.
    if (i >= 2) bridge.parent = random.below(2) == 0 ? i % 2 : (i >= 4 ? i - 2 : -1);
    bridge.numa = i % 2;
    bridge.root = i % 2;
    bridge.link = {.gt_s = random.below(2) == 0 ? 8.0 : 16.0, .width = 16};
    machine.pci.push_back(bridge);
  }
  for (int i = 0; i < gpus; ++i) {
    const auto above = static_cast<int>(random.below(6));
    PciDevice device{.bus_id = bus_id(machine.pci.size()), .parent = above};
    device.numa = device.root = above % 2;
    device.link = {.gt_s = 16.0, .width = random.below(4) == 0 ? 8 : 16};
    machine.gpus.push_back({.index = i, .bus_id = device.bus_id, .numa = device.numa});
    machine.pci.push_back(device);
  }
  for (int i = 0; i + 1 < gpus; i += 2) {
    if (random.below(3) == 0) machine.links.push_back({i, i + 1, 4});
  }
  machine.fabric = fabric_of(machine.gpus.size(), machine.links);
  fill_paths(machine);
  check_topology(machine);
  return find_wires(machine);
}

}  // namespace ringmaster::topology
