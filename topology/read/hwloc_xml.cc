// SPDX-License-Identifier: Apache-2.0
//
// A machine out of hwloc's XML (`lstopo machine.xml`), of versions 1 and 2.
//
// Not through hwloc's own import: that is made for files that hwloc wrote, and this reads what
// people send. Of its tree only NUMA nodes, bridges, PCI devices and the interfaces below them
// matter here.
#include <fmt/format.h>

#include <algorithm>

#include "topology/numbers.h"
#include "topology/pci_paths.h"
#include "topology/read/readers.h"
#include "topology/read/xml_tree.h"

namespace ringmaster::topology {

namespace {

constexpr std::size_t kHwlocPciMax = 4096;

/// "0302 [10de:20b0] [10de:1463] a1", of version 1 with "(class)" in it: the class of two bytes,
/// the vendor and the device.
void read_pci_type(std::string_view text, PciDevice& device) {
  const auto hex = [](std::string_view part) -> std::optional<std::uint32_t> {
    const auto value = part.size() == 4 ? parse_hex(part) : std::nullopt;
    return value ? std::optional(static_cast<std::uint32_t>(*value)) : std::nullopt;
  };
  if (const auto code = hex(text.substr(0, 4))) device.class_code = *code << 8;
  const std::size_t open = text.find('[');
  if (open == std::string_view::npos) return;
  device.vendor = hex(text.substr(open + 1, 4));
  if (text.size() > open + 6) device.device = hex(text.substr(open + 6, 4));
}

/// A set of processors or nodes: "0xff,0xffff0000", with empty words for zeros.
std::optional<std::vector<int>> parse_hwloc_set(std::string_view text) {
  std::string filled;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ',' && (i == 0 || text[i - 1] == ',')) filled += '0';
    filled += text[i];
  }
  if (filled.starts_with("0xf...f")) return std::nullopt;  // without end: "all"
  return parse_cpu_mask(filled);
}

struct HwlocPlace {
  int parent = -1;                         // the PCI device above
  std::optional<int> root = std::nullopt;  // the host bridge above
  std::optional<int> numa = std::nullopt;  // the nearest node, when there is just one
  int bridges = 0;                         // on the way from the host bridge
};

class HwlocReader {
 public:
  Topology read(const XmlElement& topology) {
    for (const XmlElement& child : topology.children) {
      if (child.name == "object") find_nodes(child);
    }
    for (const XmlElement& child : topology.children) {
      if (child.name == "object") walk(child, {});
    }
    number();
    prune_pci(machine_);
    fill_paths(machine_);
    return std::move(machine_);
  }

 private:
  void find_nodes(const XmlElement& object);
  void walk(const XmlElement& object, HwlocPlace place);
  void take_pci(const XmlElement& object, HwlocPlace& place);
  void take_interface(const XmlElement& object, const HwlocPlace& place);
  void number();

  Topology machine_;
  int roots_ = 0;
};

void HwlocReader::find_nodes(const XmlElement& object) {
  if (object.text("type") == "NUMANode") {
    const auto id = parse_number(object.text("os_index"), 0, kProcessorMax);
    const bool twice = id && std::any_of(machine_.nodes.begin(), machine_.nodes.end(),
                                         [&](const NumaNode& node) { return node.id == *id; });
    if (id && !twice) {
      machine_.nodes.push_back(
          {static_cast<int>(*id),
           parse_hwloc_set(object.text("cpuset")).value_or(std::vector<int>{})});
    }
  }
  for (const XmlElement& child : object.children) {
    if (child.name == "object") find_nodes(child);
  }
}

void HwlocReader::take_pci(const XmlElement& object, HwlocPlace& place) {
  const auto bus_id = parse_bus_id(object.text("pci_busid"));
  if (!bus_id || machine_.pci.size() >= kHwlocPciMax || find_pci(machine_.pci, *bus_id)) {
    add_message(machine_.warnings,
                fmt::format("line {}: {}: the device is left out", object.line,
                            bus_id ? *bus_id + " stands twice, or is one too many"
                                   : shown(object.text("pci_busid")) + " is no bus id"));
    return;
  }
  PciDevice device{.bus_id = *bus_id};
  device.parent = place.parent;
  device.root = place.root;
  device.numa = place.numa;
  read_pci_type(object.text("pci_type"), device);
  const std::size_t interfaces_before = machine_.nics.size();
  const int at = static_cast<int>(machine_.pci.size());
  machine_.pci.push_back(device);
  place.parent = at;
  for (const XmlElement& child : object.children) {
    if (child.text("type") == "OSDev") take_interface(child, place);
  }
  if (is_gpu(device) && machine_.gpus.size() < kDevicesMax) {
    machine_.gpus.push_back({.index = 0, .bus_id = *bus_id});
    machine_.gpus.back().numa = device.numa;
  } else if (is_nic(device) && machine_.nics.size() == interfaces_before &&
             machine_.nics.size() < kDevicesMax) {
    machine_.nics.push_back({.name = *bus_id, .bus_id = *bus_id, .numa = device.numa});
  } else if (is_accelerator(device)) {
    machine_.unknown_devices.push_back({*bus_id, device.numa, "processing accelerator"});
  }
}

/// osdev_type 2 is an interface, 3 an OpenFabrics device: the RDMA face of the interface before it.
void HwlocReader::take_interface(const XmlElement& object, const HwlocPlace& place) {
  const PciDevice& device = machine_.pci[static_cast<std::size_t>(place.parent)];
  const std::string_view kind = object.text("osdev_type");
  const std::string name(object.text("name"));
  if (name.empty() || (kind != "2" && kind != "3")) return;
  const bool same = !machine_.nics.empty() && machine_.nics.back().bus_id == device.bus_id;
  if (kind == "3" && same && machine_.nics.back().rdma.empty()) {
    machine_.nics.back().rdma = name;
    return;
  }
  if (kind == "2" && same && machine_.nics.back().rdma == machine_.nics.back().name) {
    machine_.nics.back().name = name;
    return;
  }
  if (machine_.nics.size() >= kDevicesMax) return;
  Nic nic{.name = name, .bus_id = device.bus_id};
  if (kind == "3") nic.rdma = name;
  nic.numa = device.numa;
  machine_.nics.push_back(std::move(nic));
}

void HwlocReader::walk(const XmlElement& object, HwlocPlace place) {
  const std::string_view type = object.text("type");
  // What is below a part of the machine with one node of its own is near that node.
  if (const std::string* nodes = object.find("nodeset")) {
    const auto set = parse_hwloc_set(*nodes);
    place.numa = set && set->size() == 1 && machine_.nodes.size() > 0 ? std::optional(set->front())
                                                                      : std::nullopt;
  }
  const bool host_bridge = type == "Bridge" && object.text("bridge_type").starts_with("0-");
  if (host_bridge) place.root = roots_++;
  // Root port, then the two ends of a switch, and so on: its upper end stands for the switch.
  const bool bridge = type == "Bridge" && !host_bridge;
  if (type == "PCIDev" || (bridge && place.bridges % 2 == 1)) take_pci(object, place);
  if (bridge) ++place.bridges;
  for (const XmlElement& child : object.children) {
    if (child.name == "object") walk(child, place);
  }
}

void HwlocReader::number() {
  std::vector<std::string> order;
  for (const Gpu& gpu : machine_.gpus) order.push_back(*gpu.bus_id);
  std::sort(order.begin(), order.end(), is_before);
  std::vector<Gpu> sorted;
  for (const std::string& bus_id : order) {
    const PciDevice& device = machine_.pci[*find_pci(machine_.pci, bus_id)];
    sorted.push_back({.index = static_cast<int>(sorted.size()), .bus_id = bus_id});
    sorted.back().numa = device.numa;
  }
  machine_.gpus = std::move(sorted);
}

}  // namespace

Answer read_hwloc_xml(std::string_view text) {
  auto read = read_xml(text);
  if (const auto* refusal = std::get_if<Refusal>(&read)) return *refusal;
  const XmlElement& root = std::get<XmlElement>(read);
  if (root.name != "topology") {
    return Refusal{fmt::format("its root is {}, not \"topology\"", shown(root.name)), root.line,
                   "what `lstopo --whole-io machine.xml` writes is wanted"};
  }
  Topology machine = HwlocReader().read(root);
  if (machine.nodes.empty() && machine.pci.empty()) {
    return Refusal{"it has no NUMA node and no device", root.line,
                   "what `lstopo --whole-io machine.xml` writes is wanted"};
  }
  return machine;
}

}  // namespace ringmaster::topology
