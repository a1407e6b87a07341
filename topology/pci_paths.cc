// SPDX-License-Identifier: Apache-2.0
#include "topology/pci_paths.h"

#include <algorithm>

namespace ringmaster::topology {

namespace {

/// The devices from this one up to its root, itself first.
std::vector<std::size_t> ancestry(const std::vector<PciDevice>& pci, std::size_t at) {
  std::vector<std::size_t> line = {at};
  while (pci[line.back()].parent >= 0) {
    line.push_back(static_cast<std::size_t>(pci[line.back()].parent));
  }
  return line;
}

MaybePath by_node(const std::optional<int>& a, const std::optional<int>& b, PathClass same) {
  if (!a || !b) return std::nullopt;
  return Path{*a == *b ? same : PathClass::sys, 0};
}

struct PathPlace {
  std::optional<std::size_t> pci;
  std::optional<int> numa;
};

MaybePath between_places(const Topology& machine, const PathPlace& a, const PathPlace& b) {
  if (a.pci && a.pci == b.pci) return Path{PathClass::pix, 0};  // a NIC that is part of a GPU
  if (a.pci && b.pci) return pci_path(machine.pci, *a.pci, *b.pci);
  return by_node(a.numa, b.numa, PathClass::node);
}

PathPlace place_of(const Topology& machine, const std::optional<std::string>& bus_id,
                   const std::optional<int>& numa) {
  return {bus_id ? find_pci(machine.pci, *bus_id) : std::nullopt, numa};
}

}  // namespace

std::optional<std::size_t> find_pci(const std::vector<PciDevice>& pci, std::string_view bus_id) {
  for (std::size_t i = 0; i < pci.size(); ++i) {
    if (pci[i].bus_id == bus_id) return i;
  }
  return std::nullopt;
}

MaybePath pci_path(const std::vector<PciDevice>& pci, std::size_t a, std::size_t b) {
  if (a == b) return Path{PathClass::self, 0};
  const std::vector<std::size_t> from = ancestry(pci, a), to = ancestry(pci, b);
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto meet = std::find(to.begin(), to.end(), from[i]);
    if (meet == to.end()) continue;
    // One switch right above both is the least; each one more on the way makes it several.
    const std::size_t bridges = i + static_cast<std::size_t>(meet - to.begin());
    return Path{bridges <= 2 ? PathClass::pix : PathClass::pxb, 0};
  }
  const PciDevice &first = pci[from.back()], &second = pci[to.back()];
  if (first.root && first.root == second.root) return Path{PathClass::phb, 0};
  return by_node(pci[a].numa, pci[b].numa, PathClass::node);
}

void prune_pci(Topology& machine) {
  std::vector<bool> kept(machine.pci.size());
  const auto keep = [&](const std::optional<std::string>& bus_id) {
    auto at = bus_id ? find_pci(machine.pci, *bus_id) : std::nullopt;
    while (at && !kept[*at]) {
      kept[*at] = true;
      const int parent = machine.pci[*at].parent;
      at = parent < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(parent));
    }
  };
  for (const Gpu& gpu : machine.gpus) keep(gpu.bus_id);
  for (const Nic& nic : machine.nics) keep(nic.bus_id);
  for (const UnknownDevice& device : machine.unknown_devices) keep(device.bus_id);
  std::vector<int> places(machine.pci.size(), -1);
  std::vector<PciDevice> left;
  for (std::size_t i = 0; i < machine.pci.size(); ++i) {
    if (!kept[i]) continue;
    places[i] = static_cast<int>(left.size());
    left.push_back(std::move(machine.pci[i]));
    if (left.back().parent >= 0) {
      left.back().parent = places[static_cast<std::size_t>(left.back().parent)];
    }
  }
  machine.pci = std::move(left);
}

void fill_paths(Topology& machine) {
  std::vector<PathPlace> places;
  for (const Gpu& gpu : machine.gpus) places.push_back(place_of(machine, gpu.bus_id, gpu.numa));
  const std::size_t count = places.size();
  machine.paths.assign(count, std::vector<MaybePath>(count));
  for (std::size_t i = 0; i < count; ++i) {
    machine.paths[i][i] = Path{PathClass::self, 0};
    for (std::size_t j = i + 1; j < count; ++j) {
      const int links = link_count(machine, machine.gpus[i].index, machine.gpus[j].index);
      machine.paths[i][j] = machine.paths[j][i] =
          links > 0 ? Path{PathClass::nvlink, links}
                    : between_places(machine, places[i], places[j]);
    }
  }
  for (Nic& nic : machine.nics) {
    const PathPlace place = place_of(machine, nic.bus_id, nic.numa);
    nic.paths.clear();
    for (const PathPlace& gpu : places) {
      nic.paths.push_back(between_places(machine, place, gpu));
    }
  }
}

}  // namespace ringmaster::topology
