// SPDX-License-Identifier: Apache-2.0
#include "topology/diff.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringmaster::topology {

namespace {

std::string gpu_label(const Gpu& gpu) {
  return gpu.bus_id ? fmt::format("GPU{} ({})", gpu.index, *gpu.bus_id)
                    : fmt::format("GPU{}", gpu.index);
}

bool all_have_bus_ids(const Topology& machine) {
  return std::all_of(machine.gpus.begin(), machine.gpus.end(),
                     [](const Gpu& gpu) { return gpu.bus_id.has_value(); });
}

struct Comparison {
  const Topology& before;
  const Topology& after;
  const bool by_bus_id = all_have_bus_ids(before) && all_have_bus_ids(after);
  std::vector<std::string> lines = {};

  std::optional<std::size_t> place(const Gpu& gpu, const Topology& in) const {
    for (std::size_t i = 0; i < in.gpus.size(); ++i) {
      const bool same = by_bus_id ? in.gpus[i].bus_id == gpu.bus_id : in.gpus[i].index == gpu.index;
      if (same) return i;
    }
    return std::nullopt;
  }

  template <class T>
  void tell(const std::string& of, const char* what, const std::optional<T>& old_value,
            const std::optional<T>& new_value) {
    if (!old_value || !new_value || *old_value == *new_value) return;
    lines.push_back(fmt::format("{}: {} was {}, is {}", of, what, *old_value, *new_value));
  }

  void compare_gpu(const Gpu& old_gpu, const Gpu& new_gpu);
  void compare_gpus();
  void compare_pairs();
  void compare_nics();
};

void Comparison::compare_gpu(const Gpu& old_gpu, const Gpu& new_gpu) {
  const std::string of = gpu_label(old_gpu);
  if (old_gpu.index != new_gpu.index) {
    lines.push_back(fmt::format("{}: its number is {} now", of, new_gpu.index));
  }
  tell(of, "NUMA node", old_gpu.numa, new_gpu.numa);
  if (old_gpu.mig.size() != new_gpu.mig.size()) {
    lines.push_back(fmt::format("{}: it had {} MIG devices, has {}", of, old_gpu.mig.size(),
                                new_gpu.mig.size()));
  }
  if (old_gpu.health.lost.empty() && !new_gpu.health.lost.empty()) {
    lines.push_back(fmt::format("{}: {}", of, new_gpu.health.lost));
  }
  const PciLink &was = old_gpu.health.pcie, &is = new_gpu.health.pcie;
  tell(of, "PCIe width", was.width, is.width);
  tell(of, "most PCIe width", was.width_max, is.width_max);
  for (const NvlinkPort& port : old_gpu.health.nvlinks) {
    for (const NvlinkPort& now : new_gpu.health.nvlinks) {
      if (now.port != port.port || now.state == port.state) continue;
      lines.push_back(fmt::format("{}: NVLink {} is {} now", of, port.port,
                                  now.state == LinkState::up ? "up" : "down"));
    }
  }
}

void Comparison::compare_gpus() {
  for (const Gpu& gpu : before.gpus) {
    const auto at = place(gpu, after);
    if (at) {
      compare_gpu(gpu, after.gpus[*at]);
    } else {
      lines.push_back(fmt::format("{} is gone", gpu_label(gpu)));
    }
  }
  for (const Gpu& gpu : after.gpus) {
    if (!place(gpu, before)) lines.push_back(fmt::format("{} is new", gpu_label(gpu)));
  }
}

void Comparison::compare_pairs() {
  for (std::size_t i = 0; i < before.gpus.size(); ++i) {
    for (std::size_t j = i + 1; j < before.gpus.size(); ++j) {
      const auto a = place(before.gpus[i], after), b = place(before.gpus[j], after);
      if (!a || !b) continue;
      const MaybePath &was = before.paths[i][j], &is = after.paths[*a][*b];
      if (!was || !is || *was == *is) continue;
      lines.push_back(fmt::format("{} to {}: was {}, is {}", gpu_label(before.gpus[i]),
                                  gpu_label(before.gpus[j]), path_text(*was), path_text(*is)));
    }
  }
  const bool both = before.fabric != Fabric::unknown && after.fabric != Fabric::unknown;
  if (both && before.fabric != after.fabric) {
    lines.push_back(fmt::format("fabric: was {}, is {}", fabric_name(before.fabric),
                                fabric_name(after.fabric)));
  }
}

void Comparison::compare_nics() {
  const auto find = [](const Topology& machine, const std::string& name) -> const Nic* {
    for (const Nic& nic : machine.nics) {
      if (nic.name == name) return &nic;
    }
    return nullptr;
  };
  for (const Nic& nic : before.nics) {
    const Nic* now = find(after, nic.name);
    if (now == nullptr) {
      lines.push_back(fmt::format("NIC {} is gone", nic.name));
      continue;
    }
    tell("NIC " + nic.name, "speed in Mbit/s", nic.speed_mbit_s, now->speed_mbit_s);
    for (std::size_t i = 0; i < before.gpus.size(); ++i) {
      const auto at = place(before.gpus[i], after);
      if (!at || !nic.paths[i] || !now->paths[*at] || *nic.paths[i] == *now->paths[*at]) continue;
      lines.push_back(fmt::format("NIC {} to {}: was {}, is {}", nic.name,
                                  gpu_label(before.gpus[i]), path_text(*nic.paths[i]),
                                  path_text(*now->paths[*at])));
    }
  }
  for (const Nic& nic : after.nics) {
    if (find(before, nic.name) == nullptr) lines.push_back(fmt::format("NIC {} is new", nic.name));
  }
}

}  // namespace

std::vector<std::string> difference(const Topology& before, const Topology& after) {
  Comparison comparison{before, after};
  comparison.compare_gpus();
  comparison.compare_pairs();
  comparison.compare_nics();
  return std::move(comparison.lines);
}

}  // namespace ringmaster::topology
