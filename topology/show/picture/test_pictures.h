// SPDX-License-Identifier: Apache-2.0
//
// For tests of pictures: random machines with everything that a picture shows, and what must hold
// of every picture. Header only.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/random.h"
#include "topology/fabric.h"
#include "topology/pci_paths.h"
#include "topology/show/picture/topology_picture.h"

namespace ringmaster::topology {

/// Texts lie inside the picture, and none on another.
inline void check_picture(const TopologyPicture& picture, const std::string& what) {
  const Box all{0, 0, picture.width, picture.height};
  std::vector<Box> boxes;
  for (const Label& label : picture.canvas.labels()) {
    const Box box = box_of(label);
    EXPECT_GE(box.x, all.x) << what << ": " << label.text;
    EXPECT_GE(box.y, all.y) << what << ": " << label.text;
    EXPECT_LE(box.right(), all.right()) << what << ": " << label.text;
    EXPECT_LE(box.bottom(), all.bottom()) << what << ": " << label.text;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      EXPECT_FALSE(overlap(boxes[i], box))
          << what << ": \"" << picture.canvas.labels()[i].text << "\" and \"" << label.text << "\"";
    }
    boxes.push_back(box);
  }
}

/// A name that a file could have, with letters that XML has a meaning for.
inline std::string random_name(Random& random) {
  const char* names[] = {"mlx5_0",
                         "a<b>&\"c\"'",
                         "\xc3\xa9\xe2\x82\xac",
                         "bad\xff\x01",
                         "",
                         "enp225s0f1np1-with-a-long-name",
                         "eth0"};
  return names[random.below(7)];
}

class RandomMachine {
 public:
  explicit RandomMachine(std::uint64_t seed) : random_(seed) {}

  Topology make(int gpus_most) {
    add_bridges();
    const int gpus = static_cast<int>(random_.below(static_cast<std::uint64_t>(gpus_most) + 1));
    for (int i = 0; i < gpus; ++i) add_gpu(i);
    const int nics = static_cast<int>(random_.below(7));
    for (int i = 0; i < nics; ++i) add_nic();
    add_links(gpus);
    machine_.fabric = fabric_of(machine_.gpus.size(), machine_.links);
    if (random_.below(4) == 0) machine_.missing.push_back("row " + random_name(random_));
    if (random_.below(4) == 0) machine_.nodes = {{0, {0, 1, 2, 5}}, {1, {}}};
    fill_paths(machine_);
    check_topology(machine_);
    return machine_;
  }

 private:
  std::optional<int> numa() {
    if (random_.below(6) == 0) return std::nullopt;
    return static_cast<int>(random_.below(4));
  }

  std::string bus_id() { return "0000:" + std::to_string(10 + machine_.pci.size()) + ":00.0"; }

  PciDevice device() {
    PciDevice made{.bus_id = bus_id()};
    if (!machine_.pci.empty() && random_.below(4) != 0) {
      made.parent = static_cast<int>(random_.below(bridges_ == 0 ? machine_.pci.size() : bridges_));
      made.numa = machine_.pci[static_cast<std::size_t>(made.parent)].numa;
    } else {
      made.numa = numa();
    }
    if (random_.below(3) != 0) made.link = {.gt_s = 8.0 * (1 + random_.unit()), .width = 16};
    return made;
  }

  void add_bridges() {
    const std::size_t count = random_.below(7);
    for (std::size_t i = 0; i < count; ++i) machine_.pci.push_back(device());
    bridges_ = count;
  }

  void add_gpu(int index) {
    Gpu gpu{.index = index * (index_step_ > 4 ? 100 : 1)};
    if (random_.below(8) != 0) {
      const PciDevice made = device();
      machine_.pci.push_back(made);
      gpu.bus_id = made.bus_id;
      gpu.numa = made.numa;
    } else {
      gpu.numa = numa();
    }
    if (random_.below(4) == 0) gpu.cpus = {{0, 1, 2}};
    machine_.gpus.push_back(gpu);
  }

  void add_nic() {
    Nic nic{.name = random_name(random_)};
    for (const Nic& other : machine_.nics) {
      if (other.name == nic.name) nic.name += "-" + std::to_string(machine_.nics.size());
    }
    if (random_.below(3) != 0) {
      const PciDevice made = device();
      machine_.pci.push_back(made);
      nic.bus_id = made.bus_id;
      nic.numa = made.numa;
    }
    if (random_.below(2) == 0) nic.speed_mbit_s = 400000;
    machine_.nics.push_back(nic);
  }

  /// None, between all (as through switches where they are many), in pairs, or here and there.
  void add_links(int gpus) {
    const auto kind = random_.below(4);
    const int many = 1 + static_cast<int>(random_.below(18));
    for (int a = 0; a < gpus; ++a) {
      for (int b = a + 1; b < gpus; ++b) {
        const bool pair = a % 2 == 0 && b == a + 1;
        const int count = kind == 1                            ? many
                          : kind == 2                          ? (pair ? 4 : 0)
                          : kind == 3 && random_.below(3) == 0 ? 1 + many % 4
                                                               : 0;
        if (count > 0) add_link(a, b, count);
      }
    }
  }

  void add_link(int a, int b, int count) {
    machine_.links.push_back({machine_.gpus[static_cast<std::size_t>(a)].index,
                              machine_.gpus[static_cast<std::size_t>(b)].index, count});
  }

  Random random_;
  const std::uint64_t index_step_ = random_.below(8);
  Topology machine_;
  std::size_t bridges_ = 0;
};

}  // namespace ringmaster::topology
