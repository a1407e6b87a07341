// SPDX-License-Identifier: Apache-2.0
//
// Descriptions of machines, one target a reader, and one that guesses the format. What is read is
// written and read again: nothing may be lost on the way. Rings are searched, and pictures drawn.
#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "tests/fuzz/target.h"
#include "topology/diff.h"
#include "topology/read/formats.h"
#include "topology/read/xml_tree.h"
#include "topology/rings/rings.h"
#include "topology/show/notes.h"
#include "topology/show/picture/topology_picture.h"
#include "topology/show/show.h"

namespace ringmaster::fuzz {

namespace {

using namespace topology;

void show_rings(const Topology& machine) {
  const Wires wires = find_wires(machine);
  const RingSet set = find_rings(wires);
  CHECK_EQ(set.rings.empty(), machine.gpus.size() < 2);
  for (const Ring& ring : set.rings) {
    Tour sorted = ring.order;
    std::sort(sorted.begin(), sorted.end());
    CHECK_EQ(sorted.size(), machine.gpus.size());
    for (std::size_t i = 0; i < sorted.size(); ++i) CHECK_EQ(sorted[i], static_cast<int>(i));
    CHECK(ring.gb_s > 0 && std::isfinite(ring.gb_s));
  }
  CHECK_EQ(rings_text(machine, true).empty(), set.rings.empty());
  const Answer again = read_topology("json", topology_json_with_rings(machine));
  CHECK(topology_json(std::get<Topology>(again)) == topology_json(machine));
}

/// A picture is XML, and its texts lie beside each other.
void draw(const Topology& machine) {
  const TopologyPicture picture = topology_picture(machine);
  const std::string svg = topology_svg(machine);
  CHECK(std::holds_alternative<XmlElement>(read_xml(svg)));
  const Box all{0, 0, picture.width, picture.height};
  std::vector<Box> boxes;
  for (const Label& label : picture.canvas.labels()) {
    const Box box = box_of(label);
    CHECK(box.x >= 0 && box.y >= 0 && box.right() <= all.right() && box.bottom() <= all.bottom());
    for (const Box& other : boxes) CHECK(!overlap(box, other));
    boxes.push_back(box);
  }
}

void read_machine(const char* format, std::string_view input) {
  const Answer answer = read_topology(format, input);
  const auto* machine = std::get_if<Topology>(&answer);
  if (machine == nullptr) {
    CHECK(!std::get<Refusal>(answer).what.empty());
    return;
  }
  const std::string json = topology_json(*machine);
  const Answer again = read_topology("json", json);
  CHECK(std::holds_alternative<Topology>(again));
  CHECK(topology_json(std::get<Topology>(again)) == json);
  CHECK(difference(*machine, *machine).empty());
  CHECK(!summary_text(*machine).empty());
  matrix_text(*machine, true);
  tree_text(*machine, true);
  notes_text(*machine, true);
  const auto xml = nccl_xml(*machine);
  if (xml) CHECK(std::holds_alternative<Topology>(read_topology("nccl-xml", *xml)));
  // The search for rings takes long on more GPUs than any machine has.
  constexpr std::size_t kGpusMost = 16;
  if (machine->gpus.size() > kGpusMost) return;
  show_rings(*machine);
  draw(*machine);
}

void run_matrix(std::string_view input) {
  read_machine("matrix", input);
}
void run_gpu_list(std::string_view input) {
  read_machine("gpu-list", input);
}
void run_nccl_xml(std::string_view input) {
  read_machine("nccl-xml", input);
}
void run_hwloc_xml(std::string_view input) {
  read_machine("hwloc-xml", input);
}
void run_sysfs(std::string_view input) {
  read_machine("sysfs", input);
}
void run_json(std::string_view input) {
  read_machine("json", input);
}
void run_guessed(std::string_view input) {
  read_machine("auto", input);
}

constexpr const char* kMatrix =
    "\tGPU0\tGPU1\tGPU2\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
    "GPU0\t X \tNV4\tPIX\tPXB\t0-3\t0\t\tN/A\nGPU1\tNV4\t X \tSYS\tNODE\t0-3\t0-1\t\tN/A\n"
    "GPU2\tPIX\tSYS\t X \tPHB\t4-7\t1,3-9\t\t2\nNIC0\tPXB\tNODE\tPHB\t X \t\t\t\n\nLegend:\n"
    "  NV#  = bonded\nNIC Legend:\n  NIC0: mlx5_0\n";
constexpr const char* kGpuList =
    "GPU 0: A100 (UUID: GPU-a)\n  MIG 1g.5gb     Device  0: (UUID: MIG-b)\n"
    "GPU 1: A100 (UUID: GPU-c)\n";
constexpr const char* kNcclXml =
    "<system version=\"1\"><cpu numaid=\"0\" affinity=\"ff,00000000\"><pci busid=\"0000:10:00.0\" "
    "class=\"0x060400\" link_speed=\"8 GT/s\" link_width=\"16\"><pci busid=\"0000:11:00.0\" "
    "class=\"0x030200\" vendor=\"0x10de\"><gpu dev=\"0\"><nvlink target=\"0000:12:00.0\" "
    "count=\"2\" tclass=\"0x030200\"/></gpu></pci><pci busid=\"0000:12:00.0\" class=\"0x030200\">"
    "<gpu dev=\"1\"><nvlink target=\"fffffff:ffff:ff\" count=\"18\" tclass=\"0x068000\"/></gpu>"
    "</pci><pci busid=\"0000:13:00.0\" class=\"0x020000\"><nic><net name=\"mlx5_0\" "
    "speed=\"100000\"/></nic></pci></pci></cpu></system>";

// All linked to all, an island of three, and a switch: what rings and pictures tell apart.
constexpr const char* kMesh =
    "GPU0 GPU1 GPU2 GPU3 NIC0 CPU Affinity NUMA Affinity\nGPU0 X NV4 NV4 NV4 PIX 0-3 0\n"
    "GPU1 NV4 X NV4 NV4 PIX 0-3 0\nGPU2 NV4 NV4 X NV4 SYS 4-7 1\nGPU3 NV4 NV4 NV4 X SYS 4-7 1\n"
    "NIC0 PIX PIX SYS SYS X\n";
constexpr const char* kIsland =
    "GPU0 GPU1 GPU2 GPU3 GPU4\nGPU0 X NV1 NV2 SYS PHB\nGPU1 NV1 X NV1 SYS PHB\n"
    "GPU2 NV2 NV1 X SYS PHB\nGPU3 SYS SYS SYS X PXB\nGPU4 PHB PHB PHB PXB X\n";
constexpr const char* kSwitched =
    "GPU0 GPU1 GPU2\nGPU0 X NV18 NV18\nGPU1 NV18 X NV18\nGPU2 NV18 NV18 X\n";
constexpr const char* kOfAmd =
    "<system version=\"2\"><cpu numaid=\"1\"><pci busid=\"1:0.0\" class=\"0x038000\" "
    "vendor=\"0x1002\" device=\"0x74a1\" link_speed=\"32.0 GT/s PCIe\" link_width=\"16\">"
    "<gpu dev=\"0\"><xgmi target=\"0000:02:00.0\" count=\"1\" tclass=\"0x038000\"/></gpu></pci>"
    "</cpu><cpu numaid=\"0\"><pci busid=\"2:0.0\" class=\"0x038000\" vendor=\"0x1002\"><gpu "
    "dev=\"1\"><xgmi target=\"0000:01:00.0\" count=\"1\" tclass=\"0x038000\"/></gpu></pci></cpu>"
    "</system>";

std::string json_seed() {
  const Answer answer = read_topology("matrix", kMatrix);
  const Answer tree = read_topology("nccl-xml", kNcclXml);
  return topology_json(std::get<Topology>(answer)) + "\n" + topology_json(std::get<Topology>(tree));
}

/// An archive of one file, as ustar has it.
std::string tar_seed(const std::string& path, const std::string& text) {
  std::string block(512, '\0');
  path.copy(block.data(), 100);
  std::string(
      "0000644\0"
      "0000000\0"
      "0000000\0",
      24)
      .copy(block.data() + 100, 24);
  std::string size(11, '0');
  for (std::size_t left = text.size(), at = 11; left > 0; left /= 8) {
    size[--at] = static_cast<char>('0' + left % 8);
  }
  size.copy(block.data() + 124, 11);
  block[156] = '0';
  std::string(
      "ustar\0"
      "00",
      8)
      .copy(block.data() + 257, 8);
  std::string body = text;
  body.resize((text.size() + 511) / 512 * 512);
  return block + body;
}

}  // namespace

Target topology_matrix_target() {
  return {"topology_matrix",
          {kMatrix, kMesh, kIsland, kSwitched, "GPU0 GPU1\nGPU0 X OK\n"},
          &run_matrix,
          6000};
}
Target topology_gpu_list_target() {
  return {"topology_gpu_list", {kGpuList}, &run_gpu_list, 4000};
}
Target topology_nccl_xml_target() {
  return {"topology_nccl_xml", {kNcclXml, kOfAmd}, &run_nccl_xml, 10000};
}
Target topology_hwloc_xml_target() {
  return {"topology_hwloc_xml",
          {"<?xml version=\"1.0\"?><!DOCTYPE topology SYSTEM \"hwloc2.dtd\"><topology "
           "version=\"2.0\"><object type=\"Machine\" os_index=\"0\"><object type=\"NUMANode\" "
           "os_index=\"0\" cpuset=\"0x0000000f\"/><object type=\"Bridge\" bridge_type=\"0-1\" "
           "bridge_pci=\"0000:[00-1f]\"><object type=\"PCIDev\" pci_busid=\"0000:11:00.0\" "
           "pci_type=\"0302 [10de:20b0] [10de:1463] a1\" pci_link_speed=\"31.5\"/></object>"
           "</object></topology>"},
          &run_hwloc_xml,
          10000};
}
Target topology_sysfs_target() {
  const std::string folder = "x/sys/bus/pci/devices/0000:11:00.0/";
  return {"topology_sysfs",
          {tar_seed(folder + "class", "0x030200\n") + tar_seed(folder + "vendor", "0x10de\n") +
           tar_seed(folder + "numa_node", "-1\n") +
           tar_seed("x/sys/devices/system/node/node0/cpulist", "0-3\n")},
          &run_sysfs,
          6000};
}
Target topology_json_target() {
  const std::string both = json_seed();
  const std::size_t line = both.find('\n');
  return {"topology_json", {both.substr(0, line), both.substr(line + 1)}, &run_json, 10000};
}
Target topology_guessed_target() {
  return {"topology_guessed",
          {kMatrix, kGpuList, kNcclXml, json_seed().substr(0, 200),
           std::string("\xFD"
                       "7zXZ\0",
                       6)},
          &run_guessed,
          6000};
}

}  // namespace ringmaster::fuzz
