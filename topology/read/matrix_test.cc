// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "topology/read/formats.h"
#include "topology/read/readers.h"
#include "topology/read/test_machine.h"
#include "topology/show/show.h"

namespace ringmaster::topology {
namespace {

constexpr const char* kFour =
    "\tGPU0\tGPU1\tGPU2\tGPU3\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
    "GPU0\t X \tNV4\tNV4\tNV4\tPIX\t0-3\t0\t\tN/A\n"
    "GPU1\tNV4\t X \tNV4\tNV4\tNODE\t0-3\t0\t\tN/A\n"
    "GPU2\tNV4\tNV4\t X \tNV4\tSYS\t4-7\t1\t\tN/A\n"
    "GPU3\tNV4\tNV4\tNV4\t X \tSYS\t4-7\t1\t\tN/A\n"
    "NIC0\tPIX\tNODE\tSYS\tSYS\t X \t\t\t\t\n"
    "\nLegend:\n\n  X    = Self\n  NV#  = bonded\n\nNIC Legend:\n\n  NIC0: mlx5_3\n";

TEST(Matrix, AllColumns) {
  const Topology machine = machine_of(read_matrix(kFour));
  ASSERT_EQ(machine.gpus.size(), 4U);
  EXPECT_EQ(machine.links.size(), 6U);
  EXPECT_EQ(machine.links[5], (Link{2, 3, 4}));
  EXPECT_EQ(machine.fabric, Fabric::direct);
  EXPECT_EQ(machine.gpus[3].numa, 1);
  EXPECT_EQ(machine.gpus[3].cpus, (std::vector<int>{4, 5, 6, 7}));
  EXPECT_EQ(machine.gpus[3].memory_node, std::nullopt);
  ASSERT_EQ(machine.nics.size(), 1U);
  EXPECT_EQ(machine.nics[0].rdma, "mlx5_3");
  EXPECT_EQ(machine.nics[0].paths[1], (Path{PathClass::node, 0}));
  EXPECT_TRUE(machine.missing.empty());
  EXPECT_TRUE(machine.warnings.empty());
}

TEST(Matrix, ColoursQuotesAndBlanksDoNotMatter) {
  const Topology plain = machine_of(read_matrix(kFour));
  std::string text = kFour;
  text.replace(0, text.find('\n'),
               "# \x1b[4mGPU0  GPU1\tGPU2 GPU3   NIC0 CPU Affinity NUMA Affinity  GPU NUMA "
               "ID\x1b[0m\r");
  EXPECT_EQ(machine_of(read_matrix(text)), plain);
  text.erase(text.find('\x1b'), 1);  // what a web page leaves of it
  text.erase(text.find('\x1b'), 1);
  EXPECT_EQ(machine_of(read_matrix(text)), plain);
}

TEST(Matrix, NumaOfAControlGroupIsUnknown) {
  const auto with = [](const std::string& numa) {
    return machine_of(
        read_matrix("GPU0 GPU1 CPU Affinity NUMA Affinity GPU NUMA ID\nGPU0 X PHB 0 " + numa +
                    " 2\nGPU1 PHB X 0 " + numa + " 10\n"));
  };
  EXPECT_EQ(with("0-7").gpus[0].numa, std::nullopt);
  EXPECT_EQ(with("N/A").gpus[0].numa, std::nullopt);
  EXPECT_EQ(with("3").gpus[0].numa, 3);
  EXPECT_EQ(with("1,3-9,11-17").gpus[0].numa, 1) << "processors first, then GPU memory";
  EXPECT_EQ(with("1,3-9,11-17").gpus[1].memory_node, 10);
}

TEST(Matrix, ACutTableSaysWhatIsMissing) {
  const std::string whole = kFour;
  const std::string cut = whole.substr(0, whole.find("GPU3\tNV4\tNV4") + 11);  // "GPU3 NV4 NV"
  const Topology machine = machine_of(read_matrix(cut));
  EXPECT_EQ(machine.missing, (std::vector<std::string>{"row GPU3 after column GPU1", "row NIC0"}));
  EXPECT_EQ(machine.links.size(), 6U) << "the other rows tell them all";
  EXPECT_EQ(machine.gpus[3].numa, std::nullopt);
  EXPECT_EQ(machine.nics[0].paths[3], std::nullopt) << "unknown, not SYS";
  EXPECT_TRUE(machine.warnings.empty());
}

TEST(Matrix, ASwitchIsToldByTheSum) {
  const auto fabric = [](int gpus, int links) {
    return machine_of(read_matrix(full_matrix(gpus, "NV" + std::to_string(links)))).fabric;
  };
  EXPECT_EQ(fabric(8, 12), Fabric::switched);
  EXPECT_EQ(fabric(16, 6), Fabric::switched);
  EXPECT_EQ(fabric(4, 6), Fabric::direct);
  EXPECT_EQ(fabric(2, 12), Fabric::unknown) << "one pair: either";
  EXPECT_EQ(machine_of(read_matrix(full_matrix(4, "PIX"))).fabric, Fabric::none);
}

TEST(Matrix, NvlinkThatMayBeHiddenIsUnknown) {
  const std::string table = full_matrix(4, "NODE");
  EXPECT_EQ(machine_of(read_matrix(table)).fabric, Fabric::none);
  EXPECT_EQ(machine_of(read_matrix("$ nvidia-smi topo -mp\n" + table)).fabric, Fabric::unknown);
  const Topology hidden = machine_of(read_matrix(table + "\nLegend:\n  X = Self\n"));
  EXPECT_EQ(hidden.fabric, Fabric::unknown);
  EXPECT_EQ(hidden.warnings.size(), 1U);
  EXPECT_EQ(machine_of(read_matrix(table + "\nLegend:\n  NV# = bonded\n")).fabric, Fabric::none);
}

TEST(Matrix, RowsThatDisagreeAreUnknown) {
  const Topology machine =
      machine_of(read_matrix("GPU0 GPU1 GPU2\nGPU0 X NV2 PIX\nGPU1 NV1 X PIX\nGPU2 PIX PIX X\n"));
  EXPECT_EQ(machine.paths[0][1], std::nullopt);
  EXPECT_TRUE(machine.links.empty());
  ASSERT_EQ(machine.warnings.size(), 1U);
  EXPECT_EQ(machine.warnings[0], "GPU0 and GPU1: one row says NV2, the other NV1: unknown");
}

TEST(Matrix, WhatIsNoMatrixIsRefused) {
  const Refusal peer = refusal_of(read_matrix(" GPU0 GPU1\nGPU0 X OK\nGPU1 OK X\n"));
  EXPECT_EQ(peer.line, 2);
  EXPECT_NE(peer.what.find("peer access"), std::string::npos);
  EXPECT_NE(peer.hint.find("topo -m"), std::string::npos);
  EXPECT_EQ(refusal_of(read_matrix("GPU0 GPU1\nGPU0 X PHX\nGPU1 PHB X\n")).line, 2);
  EXPECT_EQ(refusal_of(read_matrix("hello\n")).line, 0);
  EXPECT_EQ(refusal_of(read_matrix("GPU0 GPU0\nGPU0 X X\n")).line, 1);
  EXPECT_NE(refusal_of(read_matrix("GPU0 GPU00\nGPU0 X NV1\n")).what, "");
  EXPECT_NE(refusal_of(read_topology("auto", " \n")).what, "");
}

TEST(GpuList, MigDevicesBelongToTheirGpu) {
  const Topology machine = machine_of(read_topology("auto",
                                                    "GPU 0: NVIDIA A100 (UUID: GPU-a)\n"
                                                    "  MIG 3g.40gb     Device  0: (UUID: MIG-x)\n"
                                                    "  MIG 1g.10gb     Device  1: (UUID: MIG-y)\n"
                                                    "GPU 1: NVIDIA A100 (UUID: GPU-b)\n"));
  ASSERT_EQ(machine.gpus.size(), 2U);
  EXPECT_EQ(machine.gpus[0].name, "NVIDIA A100");
  EXPECT_EQ(machine.gpus[0].mig,
            (std::vector<MigDevice>{{0, "3g.40gb", "MIG-x"}, {1, "1g.10gb", "MIG-y"}}));
  EXPECT_EQ(machine.gpus[1].uuid, "GPU-b");
  EXPECT_EQ(machine.fabric, Fabric::unknown);
  EXPECT_EQ(machine.paths[0][1], std::nullopt);
  EXPECT_EQ(refusal_of(read_gpu_list("GPU 1: a (UUID: b)\nGPU 1: c (UUID: d)\n")).line, 2);
}

TEST(Matrix, NamesOfBytesThatAreNoTextAreToldApartAndReadAgain) {
  const Topology machine = machine_of(read_topology(
      "matrix",
      "GPU0 mlx\xff_0 mlx\xfe_0\nGPU0 X PIX SYS\nmlx\xff_0 PIX X SYS\nmlx\xfe_0 SYS SYS X\n"));
  ASSERT_EQ(machine.nics.size(), 2U);
  EXPECT_EQ(machine.nics[0].name, "mlx?_0");
  EXPECT_EQ(machine.nics[1].name, "mlx?_0 2");
  EXPECT_EQ(machine_of(read_topology("json", topology_json(machine))), machine);
}

}  // namespace
}  // namespace ringmaster::topology
