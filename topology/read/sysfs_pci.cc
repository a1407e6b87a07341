// SPDX-License-Identifier: Apache-2.0
#include "topology/read/sysfs_pci.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "topology/numbers.h"

namespace ringmaster::topology {

namespace {

constexpr int kSysfsNodeMax = 4095;
constexpr std::size_t kSysfsDevicesMax = 4096;

std::vector<std::string> parts_between_slashes(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    parts.emplace_back(path.substr(0, slash));
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return parts;
}

struct Attributes {
  const FileTree& tree;
  const std::string folder;

  std::string_view text(const char* name) const {
    return tree.text(folder + "/" + name).value_or(std::string_view{});
  }
  std::optional<std::uint32_t> hex(const char* name) const {
    const auto value = parse_hex(text(name));
    if (!value || *value > 0xffffffU) return std::nullopt;
    return static_cast<std::uint32_t>(*value);
  }
  /// Links that are off or in a virtual machine have a width of 0 or 255.
  std::optional<int> width(const char* name) const {
    const auto value = parse_number(text(name), 1, 64);
    return value ? std::optional(static_cast<int>(*value)) : std::nullopt;
  }
};

/// The node that the kernel states, and -1 is none. Where it states nothing, the node that holds
/// all processors near the device.
std::optional<int> node_of_device(const Attributes& attributes,
                                  const std::vector<NumaNode>& nodes) {
  const std::string_view stated = attributes.text("numa_node");
  if (!stated.empty()) {
    const auto node = parse_number(stated, 0, kSysfsNodeMax);
    return node ? std::optional(static_cast<int>(*node)) : std::nullopt;
  }
  const auto cpus = parse_cpu_mask(attributes.text("local_cpus"));
  if (!cpus || cpus->empty()) return std::nullopt;
  for (const NumaNode& node : nodes) {
    if (std::includes(node.cpus.begin(), node.cpus.end(), cpus->begin(), cpus->end())) {
      return node.id;
    }
  }
  return std::nullopt;
}

PciDevice sysfs_pci(const Attributes& attributes, std::string bus_id,
                    const std::vector<NumaNode>& nodes) {
  PciDevice device{.bus_id = std::move(bus_id)};
  device.numa = node_of_device(attributes, nodes);
  device.class_code = attributes.hex("class");
  device.vendor = attributes.hex("vendor");
  device.device = attributes.hex("device");
  device.subsystem_vendor = attributes.hex("subsystem_vendor");
  device.subsystem_device = attributes.hex("subsystem_device");
  device.link = {.gt_s = parse_gt_s(attributes.text("current_link_speed")),
                 .gt_s_max = parse_gt_s(attributes.text("max_link_speed")),
                 .width = attributes.width("current_link_width"),
                 .width_max = attributes.width("max_link_width")};
  return device;
}

/// "Node: 255" of the driver's numa_status.
std::optional<int> node_of_memory(std::string_view status) {
  if (!status.starts_with("Node:")) return std::nullopt;
  const std::string_view rest = trim(status.substr(5));
  const auto node = parse_number(rest.substr(0, rest.find_first_of(" \t\n")), 0, kSysfsNodeMax);
  return node ? std::optional(static_cast<int>(*node)) : std::nullopt;
}

void read_place(const FileTree& tree, const std::string& folder, std::map<std::string, int>& roots,
                SysfsDevice& device) {
  const auto path = tree.resolve(folder);
  if (!path) return;
  for (const std::string& part : parts_between_slashes(*path)) {
    if (part.starts_with("pci") && part.find(':') != std::string::npos) {
      device.pci.root = roots.try_emplace(part, static_cast<int>(roots.size())).first->second;
    }
    const auto bus_id = parse_bus_id(part);
    if (bus_id && *bus_id != device.pci.bus_id) device.above.push_back(*bus_id);
  }
}

}  // namespace

std::optional<std::string> bus_id_in(std::string_view path) {
  std::optional<std::string> last;
  for (const std::string& part : parts_between_slashes(path)) {
    if (auto bus_id = parse_bus_id(part)) last = std::move(bus_id);
  }
  return last;
}

std::vector<NumaNode> sysfs_nodes(const FileTree& tree) {
  const std::string folder = "sys/devices/system/node";
  std::vector<NumaNode> nodes;
  for (const std::string& name : tree.names(folder)) {
    if (!name.starts_with("node")) continue;
    const auto id = parse_number(std::string_view(name).substr(4), 0, kSysfsNodeMax);
    if (!id) continue;
    const auto list = tree.text(fmt::format("{}/{}/cpulist", folder, name));
    const auto mask = tree.text(fmt::format("{}/{}/cpumap", folder, name));
    auto cpus = list ? parse_cpu_list(*list) : std::nullopt;
    if (!cpus && mask) cpus = parse_cpu_mask(*mask);
    nodes.push_back({static_cast<int>(*id), cpus.value_or(std::vector<int>{})});
  }
  std::sort(nodes.begin(), nodes.end(),
            [](const NumaNode& a, const NumaNode& b) { return a.id < b.id; });
  return nodes;
}

std::vector<SysfsDevice> sysfs_devices(const FileTree& tree, const std::vector<NumaNode>& nodes) {
  std::map<std::string, std::optional<int>> driver_gpus;
  for (const std::string& name : tree.names("proc/driver/nvidia/gpus")) {
    const auto status = tree.text("proc/driver/nvidia/gpus/" + name + "/numa_status");
    if (const auto bus_id = parse_bus_id(name)) {
      driver_gpus[*bus_id] = status ? node_of_memory(*status) : std::nullopt;
    }
  }
  std::vector<std::pair<std::string, std::string>> names;  // bus id, name of the folder
  for (const std::string& name : tree.names("sys/bus/pci/devices")) {
    const auto bus_id = parse_bus_id(name);
    if (bus_id && names.size() < kSysfsDevicesMax) names.emplace_back(*bus_id, name);
  }
  std::sort(names.begin(), names.end(),
            [](const auto& a, const auto& b) { return is_before(a.first, b.first); });
  std::vector<SysfsDevice> devices;
  std::map<std::string, int> roots;
  for (const auto& [bus_id, name] : names) {
    if (!devices.empty() && devices.back().pci.bus_id == bus_id) continue;
    const std::string folder = "sys/bus/pci/devices/" + name;
    SysfsDevice device{.pci = sysfs_pci({tree, folder}, bus_id, nodes), .above = {}};
    read_place(tree, folder, roots, device);
    const auto listed = driver_gpus.find(bus_id);
    device.has_driver_gpu = listed != driver_gpus.end();
    if (device.has_driver_gpu) device.memory_node = listed->second;
    devices.push_back(std::move(device));
  }
  return devices;
}

}  // namespace ringmaster::topology
