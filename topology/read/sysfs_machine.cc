// SPDX-License-Identifier: Apache-2.0
#include "topology/read/sysfs_machine.h"

#include <algorithm>
#include <map>
#include <set>

#include "topology/numbers.h"
#include "topology/pci_paths.h"
#include "topology/read/answer.h"
#include "topology/read/archive.h"
#include "topology/read/readers.h"
#include "topology/read/sysfs_pci.h"

namespace ringmaster::topology {

namespace {

constexpr int kMbitMax = 100000000;

struct Interface {
  std::string name;
  std::optional<int> speed_mbit_s = std::nullopt;
};

class SysfsReader {
 public:
  explicit SysfsReader(const FileTree& tree) : tree_(tree) {
    machine_.nodes = sysfs_nodes(tree);
    devices_ = sysfs_devices(tree, machine_.nodes);
  }

  Topology read() {
    read_interfaces();
    for (const SysfsDevice& device : devices_) take(device);
    keep_tree();
    fill_paths(machine_);
    return std::move(machine_);
  }

 private:
  void read_interfaces();
  void take(const SysfsDevice& device);
  void take_nic(const PciDevice& device);
  void keep_tree();

  const FileTree& tree_;
  Topology machine_;
  std::vector<SysfsDevice> devices_;
  std::map<std::string, std::vector<Interface>> interfaces_;  // by bus id
  std::map<std::string, std::string> rdma_;
  std::set<std::string> kept_;
};

void SysfsReader::read_interfaces() {
  for (const std::string& name : tree_.names("sys/class/net")) {
    const auto path = tree_.resolve("sys/class/net/" + name);
    const auto bus_id = path ? bus_id_in(*path) : std::nullopt;
    if (!bus_id) continue;  // no wire leaves it
    const auto speed = tree_.text("sys/class/net/" + name + "/speed");
    const auto value = speed ? parse_number(*speed, 1, kMbitMax) : std::nullopt;  // down: -1
    interfaces_[*bus_id].push_back(
        {name, value ? std::optional(static_cast<int>(*value)) : std::nullopt});
  }
  for (const std::string& name : tree_.names("sys/class/infiniband")) {
    const auto path = tree_.resolve("sys/class/infiniband/" + name);
    if (const auto bus_id = path ? bus_id_in(*path) : std::nullopt) rdma_[*bus_id] = name;
  }
}

void SysfsReader::take_nic(const PciDevice& device) {
  const auto rdma = rdma_.find(device.bus_id);
  Nic nic{.name = device.bus_id, .bus_id = device.bus_id, .numa = device.numa};
  if (rdma != rdma_.end()) nic.name = nic.rdma = rdma->second;
  const auto found = interfaces_.find(device.bus_id);
  const std::size_t count = found == interfaces_.end() ? 0 : found->second.size();
  for (std::size_t i = 0; i < std::max<std::size_t>(count, 1); ++i) {
    if (machine_.nics.size() >= kDevicesMax) return;
    if (i < count) {
      nic.name = found->second[i].name;
      nic.speed_mbit_s = found->second[i].speed_mbit_s;
    }
    machine_.nics.push_back(nic);
  }
}

void SysfsReader::take(const SysfsDevice& device) {
  const PciDevice& pci = device.pci;
  if (is_gpu(pci) || device.has_driver_gpu) {
    if (machine_.gpus.size() >= kDevicesMax) return;
    Gpu gpu{.index = static_cast<int>(machine_.gpus.size()), .bus_id = pci.bus_id};
    gpu.numa = pci.numa;
    gpu.memory_node = device.memory_node;
    machine_.gpus.push_back(std::move(gpu));
  } else if (is_nic(pci) || interfaces_.contains(pci.bus_id)) {
    take_nic(pci);
  } else if (is_accelerator(pci)) {
    machine_.unknown_devices.push_back({pci.bus_id, pci.numa, "processing accelerator"});
  } else {
    return;
  }
  kept_.insert(pci.bus_id);
  // The bridges above are root port, then the two ends of a switch, and so on: its upper end (the
  // second, fourth, ..) stands for the switch, as it does in NCCL's files.
  for (std::size_t i = 1; i < device.above.size(); i += 2) kept_.insert(device.above[i]);
}

void SysfsReader::keep_tree() {
  std::map<std::string, int> places;
  std::vector<const SysfsDevice*> order;
  for (const SysfsDevice& device : devices_) {
    if (kept_.contains(device.pci.bus_id)) order.push_back(&device);
  }
  // Parents first: they have fewer bridges above them.
  std::stable_sort(order.begin(), order.end(), [](const SysfsDevice* a, const SysfsDevice* b) {
    return a->above.size() < b->above.size();
  });
  for (const SysfsDevice* device : order) {
    PciDevice pci = device->pci;
    for (const std::string& bus_id : device->above) {
      const auto place = places.find(bus_id);
      if (place != places.end()) pci.parent = place->second;
    }
    places[pci.bus_id] = static_cast<int>(machine_.pci.size());
    machine_.pci.push_back(std::move(pci));
  }
}

}  // namespace

Topology machine_of_sysfs(const FileTree& tree) {
  return SysfsReader(tree).read();
}

Answer read_sysfs_archive(std::string_view bytes) {
  std::string unpacked;
  if (is_xz(bytes)) {
    auto text = unpack_xz(bytes);
    if (const auto* refusal = std::get_if<Refusal>(&text)) return *refusal;
    unpacked = std::get<std::string>(std::move(text));
    bytes = unpacked;
  }
  const auto tree = read_tar(bytes);
  if (const auto* refusal = std::get_if<Refusal>(&tree)) return *refusal;
  return machine_of_sysfs(std::get<FileTree>(tree));
}

}  // namespace ringmaster::topology
