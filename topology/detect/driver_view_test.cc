// SPDX-License-Identifier: Apache-2.0
#include "topology/detect/driver_view.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "base/temporary_folder.h"
#include "topology/detect/this_machine.h"
#include "topology/pci_paths.h"
#include "topology/read/sysfs_machine.h"

namespace ringmaster::topology {
namespace {

const std::string kStandIn = RINGMASTER_BINARY_DIR "/../lib/libnvml-stand-in.so";

/// `gpus` GPUs on the buses 10, 20, .., each with these lines.
std::string recording(int gpus, const std::string& name, const std::string& lines) {
  std::string text;
  for (int i = 1; i <= gpus; ++i) {
    text += fmt::format("gpu 00000000:{:02X}:00.0 {}\n{}", i * 16, name, lines);
  }
  return text;
}

class Driver : public testing::Test {
 protected:
  Result<Topology> view(const std::string& recorded, Duration patience = std::chrono::seconds(20)) {
    std::ofstream(folder_.path() + "/machine") << recorded;
    ::setenv("RINGMASTER_NVML_STAND_IN", (folder_.path() + "/machine").c_str(), 1);
    return read_driver_view(kStandIn, patience);
  }
  Topology machine(const std::string& recorded) {
    auto read = view(recorded);
    if (!read) check_failed(__FILE__, __LINE__, read.error().message);
    check_topology(*read);
    return *read;
  }

  TemporaryFolder folder_;
};

constexpr const char* kHealthy = "pcie 4 4 16 16\nhealth 41 7 85899345920 1024 0\n";

TEST_F(Driver, EightBehindSwitches) {
  for (const int links : {12, 18}) {  // A100, H100
    const Topology read = machine(
        recording(8, "NVIDIA A100-SXM4-80GB",
                  kHealthy + fmt::format("links {} up 3 switch 00000000:C5:00.0\n", links)));
    EXPECT_EQ(read.fabric, Fabric::switched);
    EXPECT_EQ(read.links.size(), 28U);
    EXPECT_EQ(link_count(read, 2, 7), links);
    EXPECT_EQ(read.gpus[1].bus_id, "0000:20:00.0");
    EXPECT_EQ(read.gpus[1].name, "NVIDIA A100-SXM4-80GB");
    const Health& health = read.gpus[1].health;
    EXPECT_EQ(health.nvlinks.size(), static_cast<std::size_t>(links));
    EXPECT_EQ(health.nvlinks[0].version, 3);
    EXPECT_EQ(health.pcie, (PciLink{16, 16, 16, 16}));
    EXPECT_EQ(health.temperature_c, 41);
    EXPECT_EQ(health.busy_percent, 7);
    EXPECT_EQ(health.memory_bytes, 85899345920U);
    EXPECT_EQ(health.ecc_uncorrected, 0U);
  }
}

TEST_F(Driver, ASwitchThatIsNotNamed) {
  const Topology read = machine(recording(8, "H200", "links 18 up 4 hidden -\n"));
  EXPECT_EQ(read.fabric, Fabric::switched);
  EXPECT_EQ(link_count(read, 0, 1), 18);
}

TEST_F(Driver, WiresFromGpuToGpu) {
  // A DGX-1's first four GPUs: 0-1, 0-2 and 1-3 single, 0-3, 1-2 and 2-3 double.
  const int count[4][4] = {{0, 1, 1, 2}, {1, 0, 2, 1}, {1, 2, 0, 2}, {2, 1, 2, 0}};
  std::string text;
  for (int a = 0; a < 4; ++a) {
    text += fmt::format("gpu 00000000:{:02X}:00.0 V100\n", (a + 1) * 16);
    for (int b = 0; b < 4; ++b) {
      if (a == b) continue;
      text += fmt::format("links {} up 2 gpu 00000000:{:02X}:00.0\n", count[a][b], (b + 1) * 16);
    }
  }
  const Topology read = machine(text);
  EXPECT_EQ(read.fabric, Fabric::direct);
  EXPECT_EQ(read.links,
            (std::vector<Link>{{0, 1, 1}, {0, 2, 1}, {0, 3, 2}, {1, 2, 2}, {1, 3, 1}, {2, 3, 2}}));
}

TEST_F(Driver, MigDevices) {
  const Topology read =
      machine("gpu 00000000:10:00.0 NVIDIA A100\nmig 3g.40gb MIG-a\nmig 1g.10gb MIG-b\n");
  EXPECT_EQ(read.gpus.at(0).mig,
            (std::vector<MigDevice>{{0, "3g.40gb", "MIG-a"}, {1, "1g.10gb", "MIG-b"}}));
  EXPECT_EQ(read.gpus[0].health.temperature_c, std::nullopt) << "not told is unknown";
}

TEST_F(Driver, ALinkThatIsDownIsNotCounted) {
  Topology read = machine(recording(2, "A100",
                                    "links 11 up 3 switch 00000000:C5:00.0\n"
                                    "links 1 down 3 hidden -\npcie 4 4 8 16\n"));
  EXPECT_EQ(link_count(read, 0, 1), 11);
  Topology merged;
  merge_driver_view(merged, read);
  check_topology(merged);
  EXPECT_EQ(merged.warnings.at(0), "GPU0: 1 of 12 NVLinks are down");
  EXPECT_EQ(merged.warnings.at(1), "GPU0: PCIe runs on 8 of 16 lanes");
}

TEST_F(Driver, AGpuThatFellOffTheBusLeavesTheOthers) {
  const Topology read =
      machine(recording(1, "A100", "lost\n") + "gpu 00000000:20:00.0 A100\n" + kHealthy);
  ASSERT_EQ(read.gpus.size(), 2U);
  EXPECT_EQ(read.gpus[0].health.lost, "GPU is lost");
  EXPECT_EQ(read.gpus[1].health.lost, "");
  EXPECT_EQ(read.gpus[1].health.temperature_c, 41);
}

TEST_F(Driver, WithoutPermissionDriverOrLibrary) {
  EXPECT_EQ(machine(recording(1, "A100", "denied\n")).gpus.at(0).health.lost,
            "Insufficient Permissions");
  EXPECT_EQ(view("init 4\n").error().code, Errc::denied);
  EXPECT_EQ(view("init 9\n").error().code, Errc::not_found);
  EXPECT_EQ(view("init 9\n").error().message, "NVIDIA's driver: Driver Not Loaded");
  EXPECT_EQ(read_driver_view("/nowhere/libnvml.so", std::chrono::seconds(20)).error().code,
            Errc::not_found);
  EXPECT_EQ(read_driver_view(RINGMASTER_BINARY_DIR "/../lib/libcuda-stand-in.so",
                             std::chrono::seconds(20))
                .error()
                .code,
            Errc::invalid);
}

TEST_F(Driver, ADriverThatHangsIsGivenUp) {
  const Time start = read_clock();
  const auto read = view(recording(1, "A100", "hang\n"), std::chrono::milliseconds(300));
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, Errc::timed_out);
  EXPECT_LT(read_clock() - start, std::chrono::seconds(10));
}

TEST_F(Driver, MeetsSysfsByBusId) {
  const std::string root = folder_.path() + "/root";
  const auto device = [&](const std::string& path, const char* class_code, const char* vendor) {
    const std::string folder = root + "/sys/devices/" + path;
    std::filesystem::create_directories(folder);
    std::ofstream(folder + "/class") << class_code << "\n";
    std::ofstream(folder + "/vendor") << vendor << "\n";
    std::ofstream(folder + "/numa_node") << "0\n";
    std::filesystem::create_directories(root + "/sys/bus/pci/devices");
    std::filesystem::create_symlink(
        "../../../devices/" + path,
        root + "/sys/bus/pci/devices/" + path.substr(path.rfind('/') + 1));
  };
  device("pci0000:10/0000:10:00.0", "0x030200", "0x10de");
  device("pci0000:20/0000:20:00.0", "0x030200", "0x10de");
  device("pci0000:30/0000:30:00.0", "0x030200", "0x10de");
  Topology read = machine_of_sysfs(read_sysfs(root));
  ASSERT_EQ(read.gpus.size(), 3U);
  merge_driver_view(read, machine(recording(2, "A100", "links 12 up 3 switch 00000000:C5:00.0\n")));
  check_topology(read);
  EXPECT_EQ(read.gpus[1].name, "A100");
  EXPECT_EQ(read.paths[0][1], (Path{PathClass::nvlink, 12}));
  EXPECT_EQ(read.paths[1][2], (Path{PathClass::node, 0}));
  EXPECT_EQ(read.gpus[2].health.lost, "not known to NVIDIA's driver");
}

TEST(ThisMachine, IsReadQuickly) {
  const Time start = read_clock();
  const Topology read = read_this_machine();
  check_topology(read);
  EXPECT_FALSE(read.nodes.empty());
  EXPECT_LT(read_clock() - start, std::chrono::seconds(20)) << "a driver that hangs takes 5";
}

}  // namespace
}  // namespace ringmaster::topology
