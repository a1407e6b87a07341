// SPDX-License-Identifier: Apache-2.0
#include "topology/read/nccl_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/whole_number.h"
#include "topology/numbers.h"
#include "topology/pci_paths.h"

namespace ringmaster::topology {

namespace {

constexpr std::size_t kPciMax = 4096;
constexpr int kXmlNumberMax = 9999;
constexpr double kSpeedMax = 1e9;  // megabits a second

/// Interfaces that no wire leaves: bridges, pairs and tunnels of containers and networks on top.
/// NCCL lists them with a made-up speed.
constexpr std::array<std::string_view, 14> kVirtualNames = {
    "br-", "veth", "docker",  "virbr", "lo",        "tun",   "tap",
    "wg",  "cni",  "flannel", "cali",  "tailscale", "vxlan", "podman"};

std::optional<int> xml_number(std::string_view text, int high) {
  const auto number = parse_number(text, 0, high);
  return number ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

std::optional<std::uint32_t> xml_hex(std::string_view text) {
  const auto number = parse_hex(text);
  if (!number || *number > 0xffffffU) return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

PciDevice pci_of(const XmlElement& element, std::string bus_id) {
  PciDevice device{.bus_id = std::move(bus_id)};
  device.class_code = xml_hex(element.text("class"));
  device.vendor = xml_hex(element.text("vendor"));
  device.device = xml_hex(element.text("device"));
  device.subsystem_vendor = xml_hex(element.text("subsystem_vendor"));
  device.subsystem_device = xml_hex(element.text("subsystem_device"));
  device.link.gt_s = parse_gt_s(element.text("link_speed"));
  device.link.width = xml_number(element.text("link_width"), 64);
  if (device.link.width == 0) device.link.width = std::nullopt;  // virtual machines say 0
  return device;
}

struct TreeReader {
  NcclTree tree = {};
  std::vector<std::string> virtual_nics = {};

  void warn(int line, std::string text) {
    add_message(tree.machine.warnings, fmt::format("line {}: {}", line, text));
  }
  void read_cpu(const XmlElement& cpu, int root);
  void read_pci(const XmlElement& element, int parent, int root, std::optional<int> numa);
  void read_children(const XmlElement& element, std::size_t at, int root);
  void read_gpu(const XmlElement& element, const PciDevice& device);
  void read_nets(const XmlElement& nic, std::optional<std::string> bus_id, std::optional<int> numa);
  void name_device(const XmlElement& element, std::size_t at);
};

void TreeReader::read_gpu(const XmlElement& element, const PciDevice& device) {
  if (tree.machine.gpus.size() >= kDevicesMax) return;
  Gpu gpu{.index = xml_number(element.text("dev"), kXmlNumberMax).value_or(-1)};
  gpu.bus_id = device.bus_id;
  gpu.numa = device.numa;
  for (const XmlElement& link : element.children) {
    if (link.name != "nvlink" && link.name != "xgmi") continue;
    StatedLink stated{device.bus_id, std::string(link.text("target")), 0, false, {}};
    stated.place = fmt::format("line {}: ", link.line);
    stated.count = xml_number(link.text("count"), 999).value_or(0);
    // A switch that the driver may not name (in a virtual machine) stands as fffffff:ffff:ff.
    const auto target_class = xml_hex(link.text("tclass"));
    stated.to_switch =
        (target_class && is_nvswitch(*target_class)) || stated.target.starts_with("fffffff:");
    const auto target = parse_bus_id(stated.target);
    stated.target = target ? *target : shown(stated.target);
    if (stated.count > 0)
      tree.links.push_back(std::move(stated));
    else
      warn(link.line, "a link without a count: left out");
  }
  tree.machine.gpus.push_back(std::move(gpu));
}

void TreeReader::read_nets(const XmlElement& nic, std::optional<std::string> bus_id,
                           std::optional<int> numa) {
  for (const XmlElement& net : nic.children) {
    if (net.name != "net" || tree.machine.nics.size() >= kDevicesMax) continue;
    const std::string name(net.text("name"));
    const bool made_up =
        !bus_id && std::any_of(kVirtualNames.begin(), kVirtualNames.end(),
                               [&](auto start) { return name.starts_with(start); });
    if (made_up) {
      virtual_nics.push_back(name);
      continue;
    }
    Nic made{.name = name.empty() ? bus_id.value_or("net") : name, .bus_id = bus_id};
    made.numa = numa;
    double speed = 0;
    if (read_whole(net.text("speed"), &speed) && speed > 0 && speed < kSpeedMax) {
      made.speed_mbit_s = static_cast<int>(speed);
    }
    tree.machine.nics.push_back(std::move(made));
  }
}

/// What a device is that has neither <gpu> nor <nic>: told by its class, or not at all.
void TreeReader::name_device(const XmlElement& element, std::size_t at) {
  const PciDevice& device = tree.machine.pci[at];
  if (is_gpu(device)) {
    read_gpu(XmlElement{.name = "gpu", .line = element.line}, device);
  } else if (is_nic(device) && tree.machine.nics.size() < kDevicesMax) {
    tree.machine.nics.push_back(
        {.name = device.bus_id, .bus_id = device.bus_id, .numa = device.numa});
  } else if (!device.class_code && element.children.empty()) {
    tree.machine.unknown_devices.push_back(
        {device.bus_id, device.numa, "no class: a GPU, a NIC or neither"});
  }
}

void TreeReader::read_children(const XmlElement& element, std::size_t at, int root) {
  bool known = false;
  for (const XmlElement& child : element.children) {
    const PciDevice device = tree.machine.pci[at];  // a copy: the list grows below
    if (child.name == "pci") {
      read_pci(child, static_cast<int>(at), root, device.numa);
    } else if (child.name == "gpu") {
      if (!known) read_gpu(child, device);
      known = true;
    } else if (child.name == "nic") {
      read_nets(child, device.bus_id, device.numa);
      known = true;
    }
  }
  if (!known) name_device(element, at);
}

void TreeReader::read_pci(const XmlElement& element, int parent, int root,
                          std::optional<int> numa) {
  const auto bus_id = parse_bus_id(element.text("busid"));
  if (!bus_id) {
    warn(element.line,
         fmt::format("{} is no bus id: the device is left out", shown(element.text("busid"))));
    return;
  }
  if (tree.machine.pci.size() >= kPciMax || find_pci(tree.machine.pci, *bus_id)) {
    warn(element.line, fmt::format("{} {}: left out", *bus_id,
                                   tree.machine.pci.size() >= kPciMax ? "is one device too many"
                                                                      : "stands twice"));
    return;
  }
  PciDevice device = pci_of(element, *bus_id);
  device.parent = parent;
  device.root = root;
  device.numa = numa;
  tree.machine.pci.push_back(std::move(device));
  read_children(element, tree.machine.pci.size() - 1, root);
}

void TreeReader::read_cpu(const XmlElement& cpu, int root) {
  const std::optional<int> numa = xml_number(cpu.text("numaid"), kXmlNumberMax);
  if (numa) {
    const bool twice = std::any_of(tree.machine.nodes.begin(), tree.machine.nodes.end(),
                                   [&](const NumaNode& node) { return node.id == *numa; });
    if (twice) warn(cpu.line, fmt::format("a second NUMA node {}", *numa));
    if (!twice) {
      tree.machine.nodes.push_back(
          {*numa, parse_cpu_mask(cpu.text("affinity")).value_or(std::vector<int>{})});
    }
  }
  for (const XmlElement& child : cpu.children) {
    if (child.name == "pci") read_pci(child, -1, root, numa);
    if (child.name == "nic") read_nets(child, std::nullopt, numa);
  }
}

}  // namespace

NcclTree read_nccl_tree(const XmlElement& system) {
  TreeReader reader;
  int root = 0;
  for (const XmlElement& child : system.children) {
    if (child.name == "cpu") reader.read_cpu(child, root++);
  }
  if (!reader.virtual_nics.empty()) {
    const std::size_t more = reader.virtual_nics.size() - 1;
    add_message(reader.tree.machine.warnings,
                more == 0 ? fmt::format("{}, an interface without a device of its own: no NIC",
                                        shown(reader.virtual_nics.front()))
                          : fmt::format("{} and {} more interfaces without devices of their own: "
                                        "no NICs",
                                        shown(reader.virtual_nics.front()), more));
  }
  return std::move(reader.tree);
}

}  // namespace ringmaster::topology
