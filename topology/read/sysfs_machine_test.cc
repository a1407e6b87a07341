// SPDX-License-Identifier: Apache-2.0
#include "topology/read/sysfs_machine.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/random.h"
#include "base/sanitized.h"
#include "topology/pci_paths.h"
#include "topology/read/archive.h"
#include "topology/read/readers.h"
#include "topology/read/test_machine.h"

namespace ringmaster::topology {
namespace {

struct TreeMaker {
  FileTree tree = {};

  /// A device whose place is the last bus id of `path` below sys/devices.
  void device(const std::string& path, const std::string& class_code, const std::string& vendor,
              const std::string& numa) {
    const std::string bus_id = path.substr(path.rfind('/') + 1);
    tree.add_link("sys/bus/pci/devices/" + bus_id, "../../../devices/" + path);
    const std::string folder = "sys/devices/" + path;
    tree.add_file(folder + "/class", class_code + "\n");
    tree.add_file(folder + "/vendor", vendor + "\n");
    tree.add_file(folder + "/numa_node", numa + "\n");
    tree.add_file(folder + "/current_link_width", "16\n");
    tree.add_file(folder + "/current_link_speed", "16.0 GT/s PCIe\n");
  }
};

/// Root port, switch with three lower ports: two GPUs and a NIC; another GPU in another socket.
FileTree two_sockets() {
  TreeMaker maker;
  const std::string port = "pci0000:17/0000:17:00.0", above = port + "/0000:18:00.0";
  maker.device(port, "0x060400", "0x8086", "0");
  maker.device(above, "0x060400", "0x10b5", "0");
  for (const char* lower : {"04", "08", "0c"}) {
    maker.device(above + "/0000:19:" + lower + ".0", "0x060400", "0x10b5", "0");
  }
  maker.device(above + "/0000:19:04.0/0000:1a:00.0", "0x030200", "0x10de", "0");
  maker.device(above + "/0000:19:08.0/0000:1b:00.0", "0x030200", "0x10de", "0");
  const std::string nic = above + "/0000:19:0c.0/0000:1c:00.0";
  maker.device(nic, "0x020700", "0x15b3", "0");
  maker.device("pci10000:80/10000:80:00.0/10000:81:00.0", "0x030200", "0x10de", "-1");
  maker.device("pci0000:00/0000:00:02.0", "0x030000", "0x1a03", "0");
  maker.device("pci0000:00/0000:00:03.0", "0x120000", "0x1da3", "1");
  maker.tree.add_link("sys/class/net/ib0", "../../devices/" + nic + "/net/ib0");
  maker.tree.add_file("sys/devices/" + nic + "/net/ib0/speed", "200000\n");
  maker.tree.add_link("sys/class/net/lo", "../../devices/virtual/net/lo");
  maker.tree.add_link("sys/class/infiniband/mlx5_0", "../../devices/" + nic + "/infiniband/mlx5_0");
  maker.tree.add_file("sys/devices/system/node/node0/cpulist", "0-3\n");
  maker.tree.add_file("sys/devices/system/node/node1/cpulist", "4-7\n");
  maker.tree.add_file("sys/devices/system/node/node255/cpulist", "\n");
  maker.tree.add_file("proc/driver/nvidia/gpus/0000:1b:00.0/numa_status",
                      "Node:      255\nStatus:    online\n");
  return std::move(maker.tree);
}

TEST(Sysfs, DevicesAndPaths) {
  const Topology machine = machine_of_sysfs(two_sockets());
  check_topology(machine);
  ASSERT_EQ(machine.gpus.size(), 3U) << "a console's display is none";
  EXPECT_EQ(machine.gpus[0].bus_id, "0000:1a:00.0");
  EXPECT_EQ(machine.gpus[2].bus_id, "10000:81:00.0");
  EXPECT_EQ(machine.gpus[2].numa, std::nullopt) << "-1 is unknown";
  EXPECT_EQ(machine.gpus[1].memory_node, 255);
  EXPECT_EQ(machine.paths[0][1], (Path{PathClass::pix, 0})) << "one switch, whatever its ports";
  EXPECT_EQ(machine.paths[0][2], std::nullopt);
  EXPECT_EQ(machine.fabric, Fabric::unknown);
  ASSERT_EQ(machine.nics.size(), 1U);
  EXPECT_EQ(machine.nics[0].name, "ib0");
  EXPECT_EQ(machine.nics[0].rdma, "mlx5_0");
  EXPECT_EQ(machine.nics[0].speed_mbit_s, 200000);
  EXPECT_EQ(machine.nics[0].paths[0], (Path{PathClass::pix, 0}));
  ASSERT_EQ(machine.unknown_devices.size(), 1U);
  EXPECT_EQ(machine.unknown_devices[0].numa, 1);
  ASSERT_EQ(machine.nodes.size(), 3U);
  EXPECT_TRUE(machine.nodes[2].cpus.empty());
}

TEST(Sysfs, WithoutANodeTheProcessorsTell) {
  FileTree tree;
  tree.add_file("sys/bus/pci/devices/0035:04:00.0/class", "0x030200");
  tree.add_file("sys/bus/pci/devices/0035:04:00.0/local_cpus", "00000030");
  tree.add_file("sys/devices/system/node/node0/cpulist", "0-3");
  tree.add_file("sys/devices/system/node/node8/cpulist", "4-7");
  EXPECT_EQ(machine_of_sysfs(tree).gpus.at(0).numa, 8);
}

TEST(FileTree, LinksGoRoundWithoutEnd) {
  FileTree tree;
  tree.add_link("sys/a", "b");
  tree.add_link("sys/b", "a");
  tree.add_link("sys/up", "../../../..");
  EXPECT_EQ(tree.resolve("sys/a/x"), std::nullopt);
  EXPECT_EQ(tree.resolve("sys/up"), std::nullopt);
  EXPECT_EQ(tree.text("sys/a"), std::nullopt);
}

const std::string kArchives = RINGMASTER_SOURCE_DIR "/../shared/data/topologies/sysfs/";

std::string bytes_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class SysfsCorpus : public testing::Test {
 protected:
  void SetUp() override {
    if (bytes("vm-pci-domain-32bit").empty()) GTEST_SKIP() << kArchives << " is not there";
  }
  static std::string bytes(const std::string& name) {
    return bytes_of_file(kArchives + name + ".tar.xz");
  }
  static Topology machine(const std::string& name) {
    return machine_of(read_sysfs_archive(bytes(name)));
  }
};

TEST_F(SysfsCorpus, MemoryOfGpusIsNotWhereTheirProcessorsAre) {
  const Topology power9 = machine("power9-v100x6-gpu-numa-nodes");
  ASSERT_EQ(power9.gpus.size(), 6U);
  EXPECT_EQ(power9.nodes.size(), 8U);
  EXPECT_EQ(power9.nodes[1].id, 8);
  for (const Gpu& gpu : power9.gpus) {
    EXPECT_EQ(gpu.numa, gpu.bus_id->starts_with("0004") || gpu.bus_id->starts_with("0006") ? 0 : 8);
    EXPECT_GE(gpu.memory_node.value_or(0), 250);
  }
}

TEST_F(SysfsCorpus, AcceleratorsSwitchesUnknownNodesAndLongDomains) {
  const Topology xeon = machine("xeon-8accel-2ib-pcie-switches");
  EXPECT_TRUE(xeon.gpus.empty());
  EXPECT_EQ(xeon.unknown_devices.size(), 8U);
  for (const char* bus_id : {"0000:18:00.0", "0000:3b:00.0"}) {
    const auto at = find_pci(xeon.pci, bus_id);
    EXPECT_TRUE(at && is_bridge(xeon.pci[*at])) << bus_id;
  }
  const Topology r910 = machine("r910-pci-numa-unknown");
  EXPECT_EQ(r910.nodes.size(), 4U);
  EXPECT_EQ(r910.nics.at(0).numa, std::nullopt);
  const Topology vm = machine("vm-pci-domain-32bit");
  EXPECT_TRUE(vm.gpus.empty());
  EXPECT_EQ(vm.nics.at(0).name, "ens3");
}

TEST_F(SysfsCorpus, DamagedArchivesAreRefusedOrRead) {
  const std::string packed = bytes("vm-pci-domain-32bit");
  const auto unpacked = unpack_xz(packed);
  const std::string& tar = std::get<std::string>(unpacked);
  EXPECT_NE(refusal_of(read_sysfs_archive(packed.substr(0, packed.size() / 2))).what, "");
  Random random(2);
  for (int i = 0; i < (kSanitized ? 10 : 100); ++i) {
    // Small edits that reach the tar, and others that xz's checks must find.
    std::string mutant = i % 2 == 0 ? tar.substr(0, 200000) : packed;
    for (int edits = 0; edits < 20; ++edits) {
      mutant[random.below(mutant.size())] = static_cast<char>(random.below(256));
    }
    const Answer answer = read_sysfs_archive(mutant);
    if (std::holds_alternative<Topology>(answer)) machine_of(answer);
  }
}

}  // namespace
}  // namespace ringmaster::topology
