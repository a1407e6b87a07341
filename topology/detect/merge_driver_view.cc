// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "topology/detect/driver_view.h"
#include "topology/pci_paths.h"

namespace ringmaster::topology {

namespace {

Gpu* gpu_at(Topology& machine, const std::string& bus_id) {
  for (Gpu& gpu : machine.gpus) {
    if (gpu.bus_id == bus_id) return &gpu;
  }
  return nullptr;
}

const Gpu* told_gpu(const Topology& driver, const Gpu& gpu) {
  for (const Gpu& told : driver.gpus) {
    if (told.bus_id && told.bus_id == gpu.bus_id) return &told;
  }
  return nullptr;
}

void take_gpu(const Gpu& told, Topology& machine) {
  Gpu* gpu = gpu_at(machine, *told.bus_id);
  if (gpu == nullptr) {  // a container that hides /sys
    machine.gpus.push_back({.index = 0, .bus_id = told.bus_id});
    gpu = &machine.gpus.back();
  }
  gpu->name = told.name;
  gpu->uuid = told.uuid;
  gpu->mig = told.mig;
  gpu->health = told.health;
}

void warn_of_health(Topology& machine) {
  for (const Gpu& gpu : machine.gpus) {
    if (!gpu.health.lost.empty()) {
      machine.warnings.push_back(fmt::format("GPU{}: {}", gpu.index, gpu.health.lost));
    }
    const auto down =
        std::count_if(gpu.health.nvlinks.begin(), gpu.health.nvlinks.end(),
                      [](const NvlinkPort& port) { return port.state == LinkState::down; });
    if (down > 0) {
      machine.warnings.push_back(fmt::format("GPU{}: {} of {} NVLinks are down", gpu.index, down,
                                             gpu.health.nvlinks.size()));
    }
    const PciLink& pcie = gpu.health.pcie;
    if (pcie.width && pcie.width_max && *pcie.width < *pcie.width_max) {
      machine.warnings.push_back(fmt::format("GPU{}: PCIe runs on {} of {} lanes", gpu.index,
                                             *pcie.width, *pcie.width_max));
    }
  }
}

}  // namespace

void merge_driver_view(Topology& machine, const Topology& driver) {
  for (const Gpu& told : driver.gpus) {
    if (told.bus_id) take_gpu(told, machine);
  }
  for (const Gpu& told : driver.gpus) {
    if (told.bus_id) continue;
    machine.warnings.push_back(
        fmt::format("the driver's GPU {}: {}", told.index, told.health.lost));
  }
  std::vector<std::string> order;
  for (const Gpu& gpu : machine.gpus) order.push_back(*gpu.bus_id);
  std::sort(order.begin(), order.end(), is_before);
  std::vector<Gpu> sorted;
  for (const std::string& bus_id : order) {
    sorted.push_back(std::move(*gpu_at(machine, bus_id)));
    sorted.back().index = static_cast<int>(sorted.size()) - 1;
  }
  machine.gpus = std::move(sorted);
  for (Gpu& gpu : machine.gpus) {
    const auto at = find_pci(machine.pci, *gpu.bus_id);
    const bool nvidia = at && machine.pci[*at].vendor == kNvidia;
    if (nvidia && told_gpu(driver, gpu) == nullptr) {
      gpu.health.lost = kUnknownToDriver;
    }
  }
  machine.links.clear();
  const auto index_of = [&](int told) -> std::optional<int> {
    const auto at = find_gpu(driver, told);
    const Gpu* gpu =
        at && driver.gpus[*at].bus_id ? gpu_at(machine, *driver.gpus[*at].bus_id) : nullptr;
    return gpu == nullptr ? std::nullopt : std::optional(gpu->index);
  };
  for (const Link& link : driver.links) {
    const auto a = index_of(link.a), b = index_of(link.b);
    if (a && b) machine.links.push_back({std::min(*a, *b), std::max(*a, *b), link.count});
  }
  std::sort(machine.links.begin(), machine.links.end(),
            [](const Link& a, const Link& b) { return std::pair(a.a, a.b) < std::pair(b.a, b.b); });
  machine.fabric = driver.fabric;
  fill_paths(machine);
  warn_of_health(machine);
}

}  // namespace ringmaster::topology
