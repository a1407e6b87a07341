// SPDX-License-Identifier: Apache-2.0
#include "topology/show/picture/machine_tree.h"

#include <gtest/gtest.h>

#include <set>

#include "topology/show/picture/test_pictures.h"

namespace ringmaster::topology {
namespace {

/// Every GPU and NIC is in the tree once, below a processor, and no switch has less than two ends.
void check_machine_tree(const Topology& machine, const std::string& what) {
  const MachineTree tree = machine_tree(machine);
  std::multiset<std::pair<TreeKind, std::size_t>> devices;
  std::vector<int> open = tree.processors;
  while (!open.empty()) {
    const int at = open.back();
    open.pop_back();
    const TreeNode& node = tree.at(at);
    const bool leaf = node.kind == TreeKind::gpu || node.kind == TreeKind::nic;
    if (leaf) devices.insert({node.kind, node.device});
    EXPECT_EQ(leaf, node.children.empty()) << what;
    if (node.kind == TreeKind::pcie_switch) {
      EXPECT_GE(node.children.size(), 2U) << what;
    }
    for (const int child : node.children) {
      EXPECT_EQ(tree.at(child).parent, at) << what;
      open.push_back(child);
    }
  }
  EXPECT_EQ(devices.size(), machine.gpus.size() + machine.nics.size()) << what;
  EXPECT_EQ(std::set(devices.begin(), devices.end()).size(), devices.size()) << what;
}

TEST(MachineTree, HoldsEveryDeviceOnce) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    check_machine_tree(RandomMachine(seed).make(12), "seed " + std::to_string(seed));
  }
}

/// Four GPUs that are linked to each other, two of them near an adapter.
Topology linked_four() {
  Topology machine;
  for (int i = 0; i < 4; ++i) machine.gpus.push_back({.index = i});
  for (int a = 0; a < 4; ++a) {
    for (int b = a + 1; b < 4; ++b) machine.links.push_back({a, b, 4});
  }
  machine.fabric = Fabric::direct;
  fill_paths(machine);
  const Path near{PathClass::pxb, 0}, far{PathClass::sys, 0};
  machine.nics = {{.name = "mlx5_0", .paths = {near, near, far, far}}};
  return machine;
}

TEST(MachineTree, GpusThatShareAnAdapterShareASwitchAlsoWhereNvlinkHidesIt) {
  const MachineTree tree = machine_tree(linked_four());
  const int above = tree.at(tree.of_gpu[0]).parent;
  EXPECT_EQ(tree.at(above).kind, TreeKind::pcie_switch);
  EXPECT_EQ(tree.at(tree.of_gpu[1]).parent, above);
  EXPECT_EQ(tree.at(above).children.size(), 3U);
  EXPECT_EQ(tree.at(tree.at(tree.of_gpu[2]).parent).kind, TreeKind::processor);
}

TEST(MachineTree, GpusOfTheSameProcessorsAreBelowOneProcessor) {
  Topology machine = linked_four();
  machine.nics.clear();
  for (std::size_t i = 0; i < 4; ++i) machine.gpus[i].cpus = {static_cast<int>(i / 2)};
  const MachineTree tree = machine_tree(machine);
  ASSERT_EQ(tree.processors.size(), 2U);
  EXPECT_EQ(tree.processor_of(tree.of_gpu[0]), tree.processor_of(tree.of_gpu[1]));
  EXPECT_NE(tree.processor_of(tree.of_gpu[1]), tree.processor_of(tree.of_gpu[2]));
  EXPECT_EQ(tree.at(tree.processors[1]).name, "processors 1");
}

TEST(MachineTree, ABridgeToOnePlaceIsPartOfTheLinkAsSlowAsTheSlower) {
  Topology machine;
  machine.pci = {
      {.bus_id = "0000:01:00.0", .numa = 0, .link = {.gt_s = 8, .width = 16}},
      {.bus_id = "0000:02:00.0", .parent = 0, .numa = 0, .link = {.gt_s = 16, .width = 16}}};
  machine.gpus = {{.index = 0, .bus_id = "0000:02:00.0", .numa = 0}};
  fill_paths(machine);
  const MachineTree tree = machine_tree(machine);
  const TreeNode& gpu = tree.at(tree.of_gpu[0]);
  EXPECT_EQ(tree.at(gpu.parent).kind, TreeKind::processor);
  EXPECT_DOUBLE_EQ(gpu.up.gb_s, 12);
}

}  // namespace
}  // namespace ringmaster::topology
