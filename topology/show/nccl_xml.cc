// SPDX-License-Identifier: Apache-2.0
//
// NCCL's topology XML out of a machine. NCCL completes by looking at the machine what is not
// stated, such as the processor's vendor and what a GPU can do.
#include <fmt/format.h>

#include <algorithm>

#include "topology/node_order.h"
#include "topology/numbers.h"
#include "topology/pci_paths.h"
#include "topology/show/show.h"
#include "topology/show/xml_text.h"

namespace ringmaster::topology {

namespace {

class XmlWriter {
 public:
  explicit XmlWriter(const Topology& machine) : machine_(machine) {
    children_.resize(machine.pci.size());
    for (std::size_t i = 0; i < machine.pci.size(); ++i) {
      const int parent = machine.pci[i].parent;
      if (parent >= 0) children_[static_cast<std::size_t>(parent)].push_back(i);
    }
    amd_ = std::any_of(machine.pci.begin(), machine.pci.end(), [](const PciDevice& device) {
      return is_gpu(device) && device.vendor == kAmd;
    });
  }

  std::string write();

 private:
  void line(int depth, const std::string& text) {
    text_ += std::string(static_cast<std::size_t>(depth) * 2, ' ') + text + "\n";
  }
  void write_cpu(const std::optional<int>& numa);
  void write_pci(std::size_t at, int depth);
  void write_gpu(const Gpu& gpu, int depth);
  void write_nets(const std::vector<const Nic*>& nics, int depth);
  std::string pci_attributes(const PciDevice& device) const;

  const Topology& machine_;
  std::vector<std::vector<std::size_t>> children_;
  bool amd_ = false;
  int nets_ = 0;
  std::string text_;
};

std::string XmlWriter::pci_attributes(const PciDevice& device) const {
  std::string text = fmt::format("busid=\"{}\"", device.bus_id);
  const auto hex = [&](const char* name, const std::optional<std::uint32_t>& value, int digits) {
    if (value) text += fmt::format(" {}=\"0x{:0{}x}\"", name, *value, digits);
  };
  hex("class", device.class_code, 6);
  hex("vendor", device.vendor, 4);
  hex("device", device.device, 4);
  hex("subsystem_vendor", device.subsystem_vendor, 4);
  hex("subsystem_device", device.subsystem_device, 4);
  if (device.link.gt_s) text += fmt::format(" link_speed=\"{:.1f} GT/s PCIe\"", *device.link.gt_s);
  if (device.link.width) text += fmt::format(" link_width=\"{}\"", *device.link.width);
  return text;
}

void XmlWriter::write_gpu(const Gpu& gpu, int depth) {
  const char* link_name = amd_ ? "xgmi" : "nvlink";
  std::vector<std::string> links;
  int most = 0;
  for (const Link& link : machine_.links) {
    if (link.a != gpu.index && link.b != gpu.index) continue;
    const int other = link.a == gpu.index ? link.b : link.a;
    const Gpu& peer = machine_.gpus[*find_gpu(machine_, other)];
    most = std::max(most, link.count);
    if (machine_.fabric == Fabric::switched || !peer.bus_id) continue;
    const auto at = find_pci(machine_.pci, *peer.bus_id);
    const std::uint32_t code = at ? machine_.pci[*at].class_code.value_or(0x030200) : 0x030200;
    links.push_back(fmt::format("<{} target=\"{}\" count=\"{}\" tclass=\"0x{:06x}\"/>", link_name,
                                *peer.bus_id, link.count, code));
  }
  if (machine_.fabric == Fabric::switched && most > 0) {
    // As NCCL writes a switch that it may not name; it takes all of them for one.
    links.push_back(fmt::format("<{} target=\"fffffff:ffff:ff\" count=\"{}\" tclass=\"0x068000\"/>",
                                link_name, most));
  }
  if (links.empty()) return line(depth, fmt::format("<gpu dev=\"{}\"/>", gpu.index));
  line(depth, fmt::format("<gpu dev=\"{}\">", gpu.index));
  for (const std::string& link : links) line(depth + 1, link);
  line(depth, "</gpu>");
}

void XmlWriter::write_nets(const std::vector<const Nic*>& nics, int depth) {
  if (nics.empty()) return;
  line(depth, "<nic>");
  for (const Nic* nic : nics) {
    std::string net = fmt::format("<net name=\"{}\" dev=\"{}\"", xml_escaped(nic->name), nets_++);
    if (nic->speed_mbit_s) net += fmt::format(" speed=\"{}\"", *nic->speed_mbit_s);
    line(depth + 1, net + "/>");
  }
  line(depth, "</nic>");
}

void XmlWriter::write_pci(std::size_t at, int depth) {
  const PciDevice& device = machine_.pci[at];
  const std::size_t start = text_.size();
  line(depth, fmt::format("<pci {}>", pci_attributes(device)));
  const std::size_t inside = text_.size();
  for (const Gpu& gpu : machine_.gpus) {
    if (gpu.bus_id == device.bus_id) write_gpu(gpu, depth + 1);
  }
  std::vector<const Nic*> nics;
  for (const Nic& nic : machine_.nics) {
    // One that is named by its bus id has no <net>: its class tells.
    if (nic.bus_id == device.bus_id && nic.name != device.bus_id) nics.push_back(&nic);
  }
  write_nets(nics, depth + 1);
  for (const std::size_t child : children_[at]) write_pci(child, depth + 1);
  if (text_.size() != inside) return line(depth, "</pci>");
  text_.resize(start);
  line(depth, fmt::format("<pci {}/>", pci_attributes(device)));
}

void XmlWriter::write_cpu(const std::optional<int>& numa) {
  std::string cpu = fmt::format("<cpu numaid=\"{}\"", numa.value_or(-1));
  const std::vector<int> cpus = cpus_of_node(machine_, numa);
  if (!cpus.empty()) cpu += fmt::format(" affinity=\"{}\"", cpu_mask_text(cpus));
  line(1, cpu + ">");
  std::vector<const Nic*> nics;
  for (const Nic& nic : machine_.nics) {
    if (!nic.bus_id && nic.numa == numa) nics.push_back(&nic);
  }
  for (std::size_t i = 0; i < machine_.pci.size(); ++i) {
    if (machine_.pci[i].parent < 0 && machine_.pci[i].numa == numa) write_pci(i, 2);
  }
  write_nets(nics, 2);
  line(1, "</cpu>");
}

std::string XmlWriter::write() {
  line(0, fmt::format("<system version=\"{}\">", amd_ ? 2 : 1));
  for (const auto& numa : node_order(machine_)) write_cpu(numa);
  line(0, "</system>");
  return std::move(text_);
}

}  // namespace

Result<std::string> nccl_xml(const Topology& machine) {
  if (node_order(machine).empty()) {
    return Error{Errc::invalid, "no processor and no device is known: there is nothing to tell"};
  }
  for (const Gpu& gpu : machine.gpus) {
    if (gpu.bus_id && find_pci(machine.pci, *gpu.bus_id)) continue;
    return Error{Errc::invalid,
                 fmt::format("GPU{} has no place in a PCI tree, which NCCL's XML is; "
                             "a matrix does not tell it",
                             gpu.index)};
  }
  return XmlWriter(machine).write();
}

}  // namespace ringmaster::topology
