// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "topology/read/formats.h"
#include "topology/read/test_machine.h"

namespace ringmaster::topology {
namespace {

/// Two nodes; below the first a switch with two GPUs and a NIC, below the second a GPU.
constexpr const char* kHwloc = R"(<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
  <object type="Machine" os_index="0" nodeset="0x00000003">
    <object type="Package" os_index="0" nodeset="0x00000001">
      <object type="NUMANode" os_index="0" cpuset="0x0000000f" nodeset="0x00000001"/>
      <object type="Bridge" bridge_type="0-1" bridge_pci="0000:[00-1f]">
        <object type="Bridge" bridge_type="1-1" pci_busid="0000:10:00.0" pci_type="0604 [8086:1]">
          <object type="Bridge" bridge_type="1-1" pci_busid="0000:11:00.0"
              pci_type="0604 [10b5:8747]">
            <object type="Bridge" bridge_type="1-1" pci_busid="0000:12:08.0"
              pci_type="0604 [10b5:8747]">
              <object type="PCIDev" pci_busid="0000:14:00.0" pci_type="0302 [10de:20b0]"/>
            </object>
            <object type="Bridge" bridge_type="1-1" pci_busid="0000:12:04.0"
              pci_type="0604 [10b5:8747]">
              <object type="PCIDev" pci_busid="0000:13:00.0" pci_type="0302 [10de:20b0]"/>
            </object>
            <object type="Bridge" bridge_type="1-1" pci_busid="0000:12:0c.0"
              pci_type="0604 [10b5:8747]">
              <object type="PCIDev" pci_busid="0000:15:00.0" pci_type="0207 [15b3:1017]">
                <object type="OSDev" name="ib0" osdev_type="2"/>
                <object type="OSDev" name="mlx5_0" osdev_type="3"/>
              </object>
            </object>
          </object>
        </object>
      </object>
    </object>
    <object type="Package" os_index="1" nodeset="0x00000002">
      <object type="NUMANode" os_index="1" cpuset="0x000000f0" nodeset="0x00000002"/>
      <object type="Bridge" bridge_type="0-1" bridge_pci="0000:[80-9f]">
        <object type="PCIDev" pci_busid="0000:81:00.0" pci_type="0302 [10de:20b0]"/>
      </object>
    </object>
    <object type="Bridge" bridge_type="0-1" bridge_pci="0000:[a0-af]">
      <object type="PCIDev" pci_busid="0000:a1:00.0" pci_type="0300 [1a03:2000]"/>
    </object>
  </object>
</topology>
)";

TEST(HwlocXml, DevicesNodesAndPaths) {
  const Topology machine = machine_of(read_topology("auto", kHwloc));
  ASSERT_EQ(machine.gpus.size(), 3U);
  EXPECT_EQ(machine.gpus[0].bus_id, "0000:13:00.0");
  EXPECT_EQ(machine.gpus[0].numa, 0);
  EXPECT_EQ(machine.gpus[2].numa, 1);
  EXPECT_EQ(machine.paths[0][1], (Path{PathClass::pix, 0})) << "one switch, whatever its ports";
  EXPECT_EQ(machine.paths[0][2], (Path{PathClass::sys, 0}));
  EXPECT_EQ(machine.fabric, Fabric::unknown);
  ASSERT_EQ(machine.nics.size(), 1U);
  EXPECT_EQ(machine.nics[0].name, "ib0");
  EXPECT_EQ(machine.nics[0].rdma, "mlx5_0");
  EXPECT_EQ(machine.nics[0].paths[1], (Path{PathClass::pix, 0}));
  EXPECT_EQ(machine.pci.size(), 5U) << "a console's display is left out";
  EXPECT_EQ(machine.nodes, (std::vector<NumaNode>{{0, {0, 1, 2, 3}}, {1, {4, 5, 6, 7}}}));
}

TEST(HwlocXml, WhatIsNoneOrCutIsRefused) {
  const std::string whole = kHwloc;
  EXPECT_GT(refusal_of(read_topology("auto", whole.substr(0, 1500))).line, 8);
  EXPECT_NE(refusal_of(read_topology("hwloc-xml", "<topology/>")).what, "");
  EXPECT_NE(refusal_of(read_topology("hwloc-xml", "<system/>")).what, "");
}

}  // namespace
}  // namespace ringmaster::topology
