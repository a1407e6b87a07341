// SPDX-License-Identifier: Apache-2.0
#include "topology/diff.h"

#include <gtest/gtest.h>

#include "topology/show/notes.h"
#include "topology/show/show.h"

namespace ringmaster::topology {
namespace {

constexpr Path kSelf{PathClass::self, 0}, kTwo{PathClass::nvlink, 2}, kOne{PathClass::nvlink, 1};

/// Three GPUs on the buses 1 to 3, two links between all, one NIC.
Topology three() {
  Topology machine;
  for (int i = 0; i < 3; ++i) {
    machine.gpus.push_back({.index = i, .bus_id = "0000:0" + std::to_string(i + 1) + ":00.0"});
  }
  machine.paths = {{kSelf, kTwo, kTwo}, {kTwo, kSelf, kTwo}, {kTwo, kTwo, kSelf}};
  machine.links = {{0, 1, 2}, {0, 2, 2}, {1, 2, 2}};
  machine.fabric = Fabric::direct;
  machine.nics = {{.name = "mlx5_0", .paths = std::vector<MaybePath>(3)}};
  return machine;
}

TEST(Difference, NoneToItselfAndNoneToTheUnknown) {
  EXPECT_TRUE(difference(three(), three()).empty());
  Topology dim = three();
  dim.paths[0][1] = dim.paths[1][0] = std::nullopt;
  dim.fabric = Fabric::unknown;
  EXPECT_TRUE(difference(three(), dim).empty());
  EXPECT_TRUE(difference(dim, three()).empty());
}

TEST(Difference, ALinkThatWentMissing) {
  Topology after = three();
  after.paths[0][1] = after.paths[1][0] = kOne;
  after.links[0].count = 1;
  EXPECT_EQ(
      difference(three(), after),
      std::vector<std::string>{"GPU0 (0000:01:00.0) to GPU1 (0000:02:00.0): was NV2, is NV1"});
}

TEST(Difference, ALostGpuIsNotTakenForItsSuccessor) {
  Topology after = three();
  after.gpus.erase(after.gpus.begin());
  after.gpus[0].index = 0;
  after.gpus[1].index = 1;
  after.paths = {{kSelf, kTwo}, {kTwo, kSelf}};
  after.links = {{0, 1, 2}};
  after.nics = {{.name = "mlx5_1", .paths = std::vector<MaybePath>(2)}};
  EXPECT_EQ(
      difference(three(), after),
      (std::vector<std::string>{
          "GPU0 (0000:01:00.0) is gone", "GPU1 (0000:02:00.0): its number is 0 now",
          "GPU2 (0000:03:00.0): its number is 1 now", "NIC mlx5_0 is gone", "NIC mlx5_1 is new"}));
}

TEST(Difference, HealthThatGotWorse) {
  Topology before = three(), after = three();
  before.gpus[0].health = {.pcie = {.width = 16}, .nvlinks = {{0, LinkState::up}}};
  after.gpus[0].health = {.pcie = {.width = 8}, .nvlinks = {{0, LinkState::down}}};
  after.gpus[1].health.lost = "fallen off the bus";
  EXPECT_EQ(difference(before, after),
            (std::vector<std::string>{"GPU0 (0000:01:00.0): PCIe width was 16, is 8",
                                      "GPU0 (0000:01:00.0): NVLink 0 is down now",
                                      "GPU1 (0000:02:00.0): fallen off the bus"}));
}

TEST(Show, MatrixInColumns) {
  Topology machine = three();
  machine.gpus[1].numa = 1;
  machine.gpus[1].cpus = {0, 1};
  machine.paths[0][2] = machine.paths[2][0] = std::nullopt;
  machine.missing = {"row GPU2"};
  EXPECT_EQ(matrix_text(machine, false),
            "      GPU0  GPU1  GPU2  mlx5_0  NUMA  CPUs  bus id\n"
            "GPU0  X     NV2   ?     ?       ?     ?     0000:01:00.0\n"
            "GPU1  NV2   X     NV2   ?       1     0-1   0000:02:00.0\n"
            "GPU2  ?     NV2   X     ?       ?     ?     0000:03:00.0\n");
  EXPECT_EQ(summary_text(machine), "3 GPUs, NVLink from GPU to GPU, 1 NIC\n");
  EXPECT_EQ(notes_text(machine, false), "missing: row GPU2\n");
  EXPECT_NE(matrix_text(machine, true).find("\x1b[32mNV2\x1b[0m"), std::string::npos);
}

}  // namespace
}  // namespace ringmaster::topology
