// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "topology/node_order.h"
#include "topology/numbers.h"
#include "topology/show/show.h"
#include "topology/show/style.h"

namespace ringmaster::topology {

namespace {

std::string pci_link_text(const PciLink& link) {
  std::string text;
  if (link.width) text += fmt::format(" x{}", *link.width);
  if (link.gt_s) text += fmt::format(" {:g} GT/s", *link.gt_s);
  const bool narrow = link.width && link.width_max && *link.width < *link.width_max;
  const bool slow = link.gt_s && link.gt_s_max && *link.gt_s < *link.gt_s_max;
  if (narrow || slow) {
    text += " (of";
    if (narrow) text += fmt::format(" x{}", *link.width_max);
    if (slow) text += fmt::format(" {:g} GT/s", *link.gt_s_max);
    text += ")";
  }
  return text;
}

std::string gpu_line(const Gpu& gpu, bool colours) {
  std::string text = inked(fmt::format("GPU{}", gpu.index), Ink::bold, colours);
  if (gpu.bus_id) text += " " + *gpu.bus_id;
  if (!gpu.name.empty()) text += " " + gpu.name;
  const Health& health = gpu.health;
  if (!health.lost.empty()) text += ", " + inked(health.lost, Ink::red, colours);
  if (!gpu.mig.empty()) text += fmt::format(", {} MIG devices", gpu.mig.size());
  int up = 0;
  for (const NvlinkPort& port : health.nvlinks) up += port.state == LinkState::up ? 1 : 0;
  if (!health.nvlinks.empty()) {
    const bool all = up == static_cast<int>(health.nvlinks.size());
    text += ", " + inked(fmt::format("{} of {} NVLinks up", up, health.nvlinks.size()),
                         all ? Ink::plain : Ink::red, colours);
  }
  if (health.temperature_c) text += fmt::format(", {} C", *health.temperature_c);
  if (health.memory_bytes && health.memory_used_bytes) {
    constexpr double kGib = 1024.0 * 1024.0 * 1024.0;
    text += fmt::format(", {:.1f} of {:.1f} GiB used",
                        static_cast<double>(*health.memory_used_bytes) / kGib,
                        static_cast<double>(*health.memory_bytes) / kGib);
  }
  if (health.ecc_uncorrected.value_or(0) > 0) {
    text += ", " + inked(fmt::format("{} ECC errors", *health.ecc_uncorrected), Ink::red, colours);
  }
  return text + pci_link_text(health.pcie);
}

std::string nic_line(const Nic& nic, bool colours) {
  std::string text = inked(nic.name, Ink::bold, colours);
  if (!nic.rdma.empty()) text += " (" + nic.rdma + ")";
  if (nic.bus_id && nic.bus_id != nic.name) text += " " + *nic.bus_id;
  if (nic.speed_mbit_s) text += fmt::format(" {:g} Gbit/s", *nic.speed_mbit_s / 1000.0);
  return text;
}

/// A line and what is below it.
struct Branch {
  std::string text;
  std::vector<Branch> below = {};
};

void draw(const Branch& branch, const std::string& indent, std::string& text) {
  for (std::size_t i = 0; i < branch.below.size(); ++i) {
    const bool last = i + 1 == branch.below.size();
    text += indent + (last ? "└─ " : "├─ ") + branch.below[i].text + "\n";
    draw(branch.below[i], indent + (last ? "   " : "│  "), text);
  }
}

class TreeMaker {
 public:
  TreeMaker(const Topology& machine, bool colours) : machine_(machine), colours_(colours) {
    children_.resize(machine.pci.size());
    for (std::size_t i = 0; i < machine.pci.size(); ++i) {
      const int parent = machine.pci[i].parent;
      if (parent >= 0) children_[static_cast<std::size_t>(parent)].push_back(i);
    }
  }

  Branch node(const std::optional<int>& id) const {
    Branch branch{id ? fmt::format("NUMA node {}", *id) : "NUMA node unknown"};
    const std::vector<int> cpus = cpus_of_node(machine_, id);
    if (!cpus.empty()) branch.text += ", processors " + cpu_list_text(cpus);
    if (cpus.empty() && id && !machine_.nodes.empty()) branch.text += ", no processor of its own";
    for (std::size_t i = 0; i < machine_.pci.size(); ++i) {
      if (machine_.pci[i].parent < 0 && machine_.pci[i].numa == id) add_device(i, branch);
    }
    for (const Gpu& gpu : machine_.gpus) {
      if (!gpu.bus_id && gpu.numa == id) branch.below.push_back({gpu_line(gpu, colours_)});
    }
    for (const Nic& nic : machine_.nics) {
      if (!nic.bus_id && nic.numa == id) branch.below.push_back({nic_line(nic, colours_)});
    }
    return branch;
  }

 private:
  void add_device(std::size_t at, Branch& above) const {
    const PciDevice& device = machine_.pci[at];
    const std::size_t before = above.below.size();
    for (const Gpu& gpu : machine_.gpus) {
      if (gpu.bus_id == device.bus_id) {
        above.below.push_back({gpu_line(gpu, colours_) +
                               (gpu.health.pcie == PciLink{} ? pci_link_text(device.link) : "")});
      }
    }
    for (const Nic& nic : machine_.nics) {
      if (nic.bus_id == device.bus_id) {
        above.below.push_back({nic_line(nic, colours_) + pci_link_text(device.link)});
      }
    }
    if (above.below.size() == before) {
      const char* what = children_[at].empty() ? "device " : "switch ";
      above.below.push_back({what + device.bus_id + pci_link_text(device.link)});
    }
    for (const std::size_t child : children_[at]) add_device(child, above.below.back());
  }

  const Topology& machine_;
  const bool colours_;
  std::vector<std::vector<std::size_t>> children_;
};

}  // namespace

std::string tree_text(const Topology& machine, bool colours) {
  const bool placed = std::any_of(machine.gpus.begin(), machine.gpus.end(),
                                  [](const Gpu& gpu) { return gpu.numa.has_value(); });
  if (machine.pci.empty() && machine.nodes.empty() && !placed) return "";
  std::string text;
  const TreeMaker maker(machine, colours);
  for (const auto& id : node_order(machine)) {
    const Branch branch = maker.node(id);
    text += branch.text + "\n";
    draw(branch, "", text);
  }
  return text;
}

}  // namespace ringmaster::topology
