// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>

#include "topology/diff.h"
#include "topology/read/formats.h"
#include "topology/read/readers.h"
#include "topology/read/test_machine.h"
#include "topology/show/show.h"

namespace ringmaster::topology {
namespace {

/// Two sockets: two GPUs and a NIC at one switch, a GPU alone, a NIC that no bus holds.
constexpr const char* kTwoSockets = R"(<!-- made by hand -->
<system version="1">
  <cpu numaid="0" affinity="0000000f" arch="x86_64">
    <pci busid="0000:10:00.0" class="0x060400" link_speed="16 GT/s" link_width="16">
      <pci busid="0000:11:00.0" class="0x030200" vendor="0x10de" link_speed="32 GT/s PCIe/s">
        <gpu dev="1" sm="90">
          <nvlink target="0000:12:00.0" count="4" tclass="0x030200"/>
          <nvlink target="0000:91:00.0" count="2" tclass="0x030200"/>
        </gpu>
      </pci>
      <pci busid="0000:12:00.0" class="0x030200" vendor="0x10de" link_speed="" link_width="0">
        <gpu dev="0"><nvlink target="0000:11:00.0" count="4" tclass="0x030200"/></gpu>
      </pci>
      <pci busid="0000:13:00.0" class="0x020000">
        <nic><net name="mlx5_0" speed="400000"/></nic>
      </pci>
    </pci>
  </cpu>
  <cpu numaid="1" affinity="000000f0">
    <pci busid="0000:91:00.0" class="0x030200" vendor="0x10de"><gpu dev="2"/></pci>
    <pci busid="0000:92:00.0" class="0x020700"/>
    <nic><net name="eth0"/><net name="veth12" speed="10000"/></nic>
  </cpu>
</system>
)";

TEST(NcclXml, DevicesPathsAndLinks) {
  const Topology machine = machine_of(read_topology("auto", kTwoSockets));
  ASSERT_EQ(machine.gpus.size(), 3U);
  EXPECT_EQ(machine.gpus[1].bus_id, "0000:11:00.0") << "the file's number";
  EXPECT_EQ(machine.links, (std::vector<Link>{{0, 1, 4}, {1, 2, 2}}));
  EXPECT_EQ(machine.fabric, Fabric::direct);
  EXPECT_EQ(machine.paths[0][2], (Path{PathClass::sys, 0}));
  ASSERT_EQ(machine.nics.size(), 3U);
  EXPECT_EQ(machine.nics[0].name, "mlx5_0");
  EXPECT_EQ(machine.nics[0].speed_mbit_s, 400000);
  EXPECT_EQ(machine.nics[0].paths[1], (Path{PathClass::pix, 0}));
  EXPECT_EQ(machine.nics[0].paths[2], (Path{PathClass::sys, 0}));
  EXPECT_EQ(machine.nics[1].name, "0000:92:00.0") << "told by its class alone";
  EXPECT_EQ(machine.nics[1].paths[2], (Path{PathClass::phb, 0}));
  EXPECT_EQ(machine.nics[2].name, "eth0");
  EXPECT_EQ(machine.nodes, (std::vector<NumaNode>{{0, {0, 1, 2, 3}}, {1, {4, 5, 6, 7}}}));
  EXPECT_EQ(machine.pci[0].link.gt_s, 16);
  EXPECT_EQ(machine.pci[2].link, PciLink{}) << "empty and 0 are unknown";
  EXPECT_EQ(machine.warnings, (std::vector<std::string>{
                                  "\"veth12\", an interface without a device of its own: no NIC",
                                  "GPU1 states 2 links to GPU2, which states none"}));
}

TEST(NcclXml, WhatIsWrittenIsReadAgain) {
  for (const char* text : {kTwoSockets}) {
    Topology machine = machine_of(read_nccl_xml(text));
    const auto written = nccl_xml(machine);
    ASSERT_TRUE(written.ok());
    machine.warnings.clear();
    EXPECT_EQ(machine_of(read_nccl_xml(*written)), machine) << *written;
  }
  EXPECT_FALSE(nccl_xml(machine_of(read_matrix(full_matrix(4, "NV12")))).ok());
}

std::string board(const std::string& links, int gpus) {
  std::string text = "<system version=\"1\"><cpu numaid=\"-1\">";
  for (int i = 0; i < gpus; ++i) {
    text += "<pci busid=\"0000:0" + std::to_string(i + 1) +
            ":00.0\" class=\"0x030200\" vendor=\"0x10de\"><gpu dev=\"" + std::to_string(i) + "\">" +
            links + "</gpu></pci>";
  }
  return text + "</cpu></system>";
}

TEST(NcclXml, BytesThatNoXmlMayHoldAreReplaced) {
  Topology machine = machine_of(read_topology("auto", kTwoSockets));
  machine.nics[0].name = "a\xff\x01\xed\xa0\x80<&\"";
  const auto xml = nccl_xml(machine);
  ASSERT_TRUE(xml);
  EXPECT_EQ(machine_of(read_topology("nccl-xml", *xml)).nics[0].name,
            "a?????"
            "<&\"");
}

TEST(NcclXml, OfNothingIsRefusedAsItsReaderWould) {
  EXPECT_FALSE(nccl_xml(Topology{}));
  Topology machine;
  machine.nics = {{.name = "eth0"}};
  const auto xml = nccl_xml(machine);
  ASSERT_TRUE(xml);
  EXPECT_EQ(machine_of(read_topology("nccl-xml", *xml)).nics.size(), 1U);
}

TEST(NcclXml, ASwitchJoinsAllPairs) {
  // Named ones, by their class, and one that a virtual machine may not name.
  const std::string named = R"(<nvlink target="0000:cf:00.0" count="5" tclass="0x068000"/>)"
                            R"(<nvlink target="0000:d0:00.0" count="4" tclass="0x068000"/>)";
  for (const std::string& links :
       {named, std::string(R"(<nvlink target="fffffff:ffff:ff" count="9"/>)")}) {
    const Topology machine = machine_of(read_nccl_xml(board(links, 3)));
    EXPECT_EQ(machine.links, (std::vector<Link>{{0, 1, 9}, {0, 2, 9}, {1, 2, 9}}));
    EXPECT_EQ(machine.fabric, Fabric::switched);
    EXPECT_EQ(machine.gpus[0].numa, std::nullopt);
    EXPECT_EQ(machine_of(read_nccl_xml(*nccl_xml(machine))).links, machine.links);
  }
}

TEST(NcclXml, AdaptersOfOneNameAreToldApart) {
  const Topology machine = machine_of(read_topology(
      "nccl-xml",
      "<system><cpu numaid=\"0\"><pci busid=\"1:0.0\" class=\"0x020000\"><nic><net "
      "name=\"eth0\" speed=\"100\"/><net name=\"eth0\"/></nic></pci><nic><net name=\"eth0\"/>"
      "<net name=\"eth0\"/></nic></cpu></system>"));
  std::vector<std::string> names;
  for (const Nic& nic : machine.nics) names.push_back(nic.name);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  EXPECT_EQ(names.front(), "eth0");
  EXPECT_GE(names.size(), 2U);
  EXPECT_TRUE(difference(machine, machine).empty());
}

TEST(NcclXml, NoLinkElementIsUnknownAndNotNone) {
  EXPECT_EQ(machine_of(read_nccl_xml(board("", 2))).fabric, Fabric::unknown);
  const Topology self =
      machine_of(read_nccl_xml(board(R"(<nvlink target="0000:01:00.0" count="12"/>)", 1)));
  EXPECT_EQ(self.fabric, Fabric::unknown);
  EXPECT_EQ(self.warnings, std::vector<std::string>{"line 1: GPU0 is linked to itself: left out"});
}

TEST(NcclXml, DevicesWithoutAClassAreUnknown) {
  const Topology machine = machine_of(
      read_nccl_xml("<system><cpu numaid=\"0\"><pci busid=\"0000:00:1b.0\"/></cpu></system>"));
  EXPECT_TRUE(machine.gpus.empty());
  ASSERT_EQ(machine.unknown_devices.size(), 1U);
  EXPECT_EQ(machine.unknown_devices[0].numa, 0);
}

TEST(NcclXml, WhatIsDamagedIsRefusedWithItsLine) {
  const std::string whole = kTwoSockets;
  const Refusal cut = refusal_of(read_topology("auto", whole.substr(0, whole.find("  </cpu>"))));
  EXPECT_EQ(cut.line, 18);
  EXPECT_EQ(cut.what, "the XML ends early, after line 17: \"cpu\" of line 3 is still open");
  EXPECT_EQ(refusal_of(read_nccl_xml("<system>\n<cpu></system>\n")).line, 2);
  EXPECT_EQ(refusal_of(read_nccl_xml("<graphs version=\"1\"/>")).line, 1);
  EXPECT_NE(refusal_of(read_nccl_xml("<system/>")).what, "");
  EXPECT_NE(refusal_of(read_nccl_xml("<!DOCTYPE a [<!ENTITY b \"c\">]><system>&b;</system>")).what,
            "");
  EXPECT_NE(refusal_of(read_nccl_xml(std::string(400, '<') + "a>")).what, "");
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "<pci>";
  EXPECT_NE(refusal_of(read_nccl_xml("<system>" + deep)).what.find("deeper"), std::string::npos);
}

}  // namespace
}  // namespace ringmaster::topology
