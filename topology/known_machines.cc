// SPDX-License-Identifier: Apache-2.0
#include "topology/known_machines.h"

#include <fmt/format.h>

#include <array>
#include <numeric>
#include <span>
#include <utility>

#include "topology/pci_paths.h"

namespace ringmaster::topology {

namespace {

/// What a machine is made of, the same in all its parts.
struct Build {
  const char* name;
  const char* what;
  const char* gpu;  // as the driver names it
  std::uint32_t vendor, device;
  int gpus, numa_nodes, cores;  // cores: of each NUMA node
  int gpus_of_switch;           // 1: no other GPU is below the bridge of one
  double gt_s;
  int nics, nic_gbit_s;
  Fabric fabric;
  int links_of_pair;  // of each two GPUs, where `links` is empty
  std::span<const Link> links = {};
};

constexpr std::array<Link, 16> kCubeMesh = {{{0, 1, 1},
                                             {0, 2, 1},
                                             {0, 3, 2},
                                             {0, 4, 2},
                                             {1, 2, 2},
                                             {1, 3, 1},
                                             {1, 5, 2},
                                             {2, 3, 2},
                                             {2, 6, 1},
                                             {3, 7, 1},
                                             {4, 5, 1},
                                             {4, 6, 1},
                                             {4, 7, 2},
                                             {5, 6, 2},
                                             {5, 7, 1},
                                             {6, 7, 2}}};
constexpr std::array<Link, 4> kBridges = {{{0, 1, 12}, {2, 3, 12}, {4, 5, 12}, {6, 7, 12}}};
// clang-format off
constexpr std::array<Link, 28> kSixteenDies = {{
    {0, 1, 1}, {0, 3, 4}, {0, 4, 2}, {1, 2, 4}, {1, 3, 1}, {1, 6, 1}, {2, 3, 1}, {2, 7, 2},
    {3, 5, 1}, {4, 5, 4}, {4, 13, 1}, {5, 12, 1}, {5, 14, 1}, {6, 7, 4}, {6, 12, 1}, {6, 14, 1},
    {7, 15, 1}, {8, 9, 1}, {8, 10, 1}, {8, 11, 4}, {8, 14, 1}, {9, 10, 4}, {9, 11, 1}, {9, 12, 1},
    {10, 13, 2}, {11, 15, 2}, {12, 13, 4}, {14, 15, 4}}};

constexpr std::array<Build, 8> kBuilds = {{
    {"dgx-1", "8 V100, a cube of links", "Tesla V100-SXM2-16GB", kNvidia, 0x1db1,
     8, 2, 20, 2, 8, 4, 100, Fabric::direct, 0, kCubeMesh},
    {"dgx-2", "16 V100 behind NVSwitches", "Tesla V100-SXM3-32GB", kNvidia, 0x1db8,
     16, 2, 24, 2, 8, 8, 100, Fabric::switched, 6},
    {"dgx-a100", "8 A100 behind NVSwitches", "NVIDIA A100-SXM4-40GB", kNvidia, 0x20b0,
     8, 4, 32, 2, 16, 8, 200, Fabric::switched, 12},
    {"dgx-h100", "8 H100 behind NVSwitches", "NVIDIA H100 80GB HBM3", kNvidia, 0x2330,
     8, 2, 56, 1, 32, 8, 400, Fabric::switched, 18},
    {"h100-nvl", "8 H100 in bridged pairs", "NVIDIA H100 NVL", kNvidia, 0x2321,
     8, 2, 64, 1, 32, 2, 200, Fabric::direct, 0, kBridges},
    {"mi250x", "16 dies of 8 MI250X", "AMD Instinct MI250X", kAmd, 0x740c,
     16, 4, 24, 1, 32, 4, 200, Fabric::direct, 0, kSixteenDies},
    {"mi300x", "8 MI300X, each linked to all", "AMD Instinct MI300X", kAmd, 0x74a1,
     8, 2, 48, 1, 32, 8, 400, Fabric::direct, 1},
    {"l40s", "8 L40S, PCIe alone", "NVIDIA L40S", kNvidia, 0x26b9,
     8, 2, 32, 2, 16, 2, 100, Fabric::none, 0},
}};
// clang-format on

std::vector<Link> all_pairs(int gpus, int count) {
  std::vector<Link> links;
  for (int a = 0; a < gpus && count > 0; ++a) {
    for (int b = a + 1; b < gpus; ++b) links.push_back({a, b, count});
  }
  return links;
}

/// Bus ids in one order: switches before what is below them.
class MachineBuilder {
 public:
  explicit MachineBuilder(const Build& build) : build_(build) {}

  Topology make() {
    const int switches = (build_.gpus + build_.gpus_of_switch - 1) / build_.gpus_of_switch;
    for (int i = 0; i < build_.numa_nodes; ++i) add_node(i);
    for (int i = 0; i < switches; ++i) add_switch(i, switches);
    machine_.links = build_.links.empty()
                         ? all_pairs(build_.gpus, build_.links_of_pair)
                         : std::vector<Link>(build_.links.begin(), build_.links.end());
    machine_.fabric = build_.fabric;
    fill_paths(machine_);
    check_topology(machine_);
    return std::move(machine_);
  }

 private:
  void add_node(int id) {
    NumaNode node{id, std::vector<int>(static_cast<std::size_t>(build_.cores))};
    std::iota(node.cpus.begin(), node.cpus.end(), id * build_.cores);
    machine_.nodes.push_back(std::move(node));
  }

  /// Its place; `what` are its class, vendor and device.
  int add_pci(std::array<std::uint32_t, 3> what, int parent, int numa) {
    PciDevice device;
    device.class_code = what[0];
    if (what[1] != 0) device.vendor = what[1];
    if (what[2] != 0) device.device = what[2];
    device.bus_id = fmt::format("0000:{:02x}:00.0", machine_.pci.size() + 1);
    device.parent = parent;
    device.numa = device.root = numa;
    device.link = {.gt_s = build_.gt_s, .gt_s_max = build_.gt_s, .width = 16, .width_max = 16};
    machine_.pci.push_back(std::move(device));
    return static_cast<int>(machine_.pci.size()) - 1;
  }

  /// A switch with its GPUs, and with its part of the adapters.
  void add_switch(int number, int switches) {
    const int numa = number * build_.numa_nodes / switches;
    const int bridge = add_pci({0x060400, 0, 0}, -1, numa);
    for (int i = 0; i < build_.gpus_of_switch; ++i) add_gpu(bridge, numa);
    const int before = number * build_.nics / switches;
    for (int i = before; i < (number + 1) * build_.nics / switches; ++i) add_nic(i, bridge, numa);
  }

  void add_gpu(int bridge, int numa) {
    const int at = add_pci({0x030200, build_.vendor, build_.device}, bridge, numa);
    Gpu gpu{.index = static_cast<int>(machine_.gpus.size()),
            .bus_id = machine_.pci[static_cast<std::size_t>(at)].bus_id,
            .name = build_.gpu,
            .numa = numa,
            .cpus = machine_.nodes[static_cast<std::size_t>(numa)].cpus};
    machine_.gpus.push_back(std::move(gpu));
  }

  void add_nic(int number, int bridge, int numa) {
    const int at = add_pci({0x020700, 0x15b3, 0}, bridge, numa);
    Nic nic{.name = fmt::format("mlx5_{}", number),
            .bus_id = machine_.pci[static_cast<std::size_t>(at)].bus_id};
    nic.numa = numa;
    nic.speed_mbit_s = build_.nic_gbit_s * 1000;
    machine_.nics.push_back(std::move(nic));
  }

  const Build& build_;
  Topology machine_;
};

}  // namespace

std::vector<KnownMachine> known_machines() {
  std::vector<KnownMachine> machines;
  for (const Build& build : kBuilds) machines.push_back({build.name, build.what});
  return machines;
}

std::optional<Topology> known_machine(std::string_view name) {
  for (const Build& build : kBuilds) {
    if (build.name == name) return MachineBuilder(build).make();
  }
  return std::nullopt;
}

}  // namespace ringmaster::topology
