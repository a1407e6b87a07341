// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <map>

#include "topology/detect/driver_view.h"
#include "topology/pci_paths.h"
#include "topology/stated_links.h"

namespace ringmaster::topology {

namespace {

constexpr unsigned kGpusMax = 256, kPortsMax = 32, kMigDevicesMax = 16;

std::optional<int> asked_number(NvmlNumber ask, NvmlDevice device) {
  unsigned value = 0;
  if (ask == nullptr || ask(device, &value) != kNvmlSuccess || value > 1U << 20) {
    return std::nullopt;
  }
  return static_cast<int>(value);
}

std::string asked_text(NvmlText ask, NvmlDevice device) {
  std::array<char, 97> text{};  // the longest that the library gives, and an end
  if (ask == nullptr || ask(device, text.data(), text.size() - 1) != kNvmlSuccess) return "";
  return text.data();
}

/// GT/s of one lane by PCIe generation.
std::optional<double> speed_of_generation(const std::optional<int>& generation) {
  constexpr std::array<double, 6> kSpeeds = {2.5, 5, 8, 16, 32, 64};
  if (!generation || *generation < 1 || *generation > static_cast<int>(kSpeeds.size())) {
    return std::nullopt;
  }
  return kSpeeds[static_cast<std::size_t>(*generation) - 1];
}

struct DriverQuestions {
  const NvmlLibrary& nvml;
  Topology machine = {};
  std::vector<StatedLink> links = {};
  bool any_ports = false;

  void ask_gpu(unsigned index);
  void ask_ports(NvmlDevice device, Gpu& gpu);
  void ask_health(NvmlDevice device, Gpu& gpu) const;
  void ask_mig(NvmlDevice device, Gpu& gpu) const;
};

void DriverQuestions::ask_ports(NvmlDevice device, Gpu& gpu) {
  if (nvml.nvlink_state == nullptr) return;
  for (unsigned port = 0; port < kPortsMax; ++port) {
    int up = 0;
    if (nvml.nvlink_state(device, port, &up) != kNvmlSuccess) break;  // no such port
    NvlinkPort told{.port = static_cast<int>(port)};
    told.state = up != 0 ? LinkState::up : LinkState::down;
    unsigned version = 0;
    if (nvml.nvlink_version != nullptr &&
        nvml.nvlink_version(device, port, &version) == kNvmlSuccess) {
      told.version = static_cast<int>(version & 0xffU);
    }
    NvmlPciInfo remote{};
    if (nvml.nvlink_remote != nullptr &&
        nvml.nvlink_remote(device, port, &remote) == kNvmlSuccess) {
      remote.bus_id[sizeof remote.bus_id - 1] = '\0';
      told.remote_bus_id = parse_bus_id(remote.bus_id);
    }
    int kind = kNvmlRemoteGpu;
    const bool kind_told = nvml.nvlink_remote_kind != nullptr &&
                           nvml.nvlink_remote_kind(device, port, &kind) == kNvmlSuccess;
    // An end that is up and may not be named is a switch: so it is in virtual machines.
    told.to_switch = kind_told ? kind == kNvmlRemoteSwitch : up != 0 && !told.remote_bus_id;
    if (up != 0) {
      links.push_back(
          {*gpu.bus_id, told.remote_bus_id.value_or("an unnamed end"), 1, told.to_switch, {}});
    }
    gpu.health.nvlinks.push_back(std::move(told));
    any_ports = true;
  }
}

void DriverQuestions::ask_health(NvmlDevice device, Gpu& gpu) const {
  Health& health = gpu.health;
  health.pcie = {.gt_s = speed_of_generation(asked_number(nvml.pcie_generation, device)),
                 .gt_s_max = speed_of_generation(asked_number(nvml.pcie_generation_max, device)),
                 .width = asked_number(nvml.pcie_width, device),
                 .width_max = asked_number(nvml.pcie_width_max, device)};
  unsigned celsius = 0;
  if (nvml.temperature != nullptr && nvml.temperature(device, 0, &celsius) == kNvmlSuccess) {
    health.temperature_c = static_cast<int>(celsius);
  }
  NvmlUtilization busy{};
  if (nvml.utilization != nullptr && nvml.utilization(device, &busy) == kNvmlSuccess) {
    health.busy_percent = static_cast<int>(busy.gpu);
  }
  NvmlMemory memory{};
  if (nvml.memory != nullptr && nvml.memory(device, &memory) == kNvmlSuccess) {
    health.memory_bytes = memory.total;
    health.memory_used_bytes = memory.used;
  }
  constexpr int kUncorrected = 1, kSinceLoaded = 0;
  unsigned long long errors = 0;
  if (nvml.ecc_errors != nullptr &&
      nvml.ecc_errors(device, kUncorrected, kSinceLoaded, &errors) == kNvmlSuccess) {
    health.ecc_uncorrected = errors;
  }
}

void DriverQuestions::ask_mig(NvmlDevice device, Gpu& gpu) const {
  unsigned on = 0, pending = 0;
  if (nvml.mig_mode == nullptr || nvml.mig_handle == nullptr ||
      nvml.mig_mode(device, &on, &pending) != kNvmlSuccess || on == 0) {
    return;
  }
  const int most = asked_number(nvml.mig_count_max, device).value_or(0);
  for (unsigned i = 0; i < std::min(static_cast<unsigned>(most), kMigDevicesMax); ++i) {
    NvmlDevice part = nullptr;
    if (nvml.mig_handle(device, i, &part) != kNvmlSuccess) continue;  // places may be empty
    const std::string name = asked_text(nvml.name, part);  // "NVIDIA A100-SXM4-80GB MIG 1g.10gb"
    const std::size_t at = name.find("MIG ");
    gpu.mig.push_back({static_cast<int>(i), at == std::string::npos ? name : name.substr(at + 4),
                       asked_text(nvml.uuid, part)});
  }
}

void DriverQuestions::ask_gpu(unsigned index) {
  NvmlDevice device = nullptr;
  Gpu gpu{.index = static_cast<int>(index)};
  int result = nvml.handle_by_index(index, &device);
  NvmlPciInfo pci{};
  if (result == kNvmlSuccess) result = nvml.pci_info(device, &pci);
  if (result == kNvmlSuccess) {
    pci.bus_id[sizeof pci.bus_id - 1] = '\0';
    gpu.bus_id = parse_bus_id(pci.bus_id);
  }
  if (!gpu.bus_id) {
    gpu.health.lost = nvml.text_of(result);
    machine.gpus.push_back(std::move(gpu));
    return;
  }
  gpu.name = asked_text(nvml.name, device);
  gpu.uuid = asked_text(nvml.uuid, device);
  unsigned celsius = 0;
  if (nvml.temperature != nullptr) result = nvml.temperature(device, 0, &celsius);
  if (result == kNvmlGpuIsLost) {
    gpu.health.lost = nvml.text_of(result);
  } else {
    ask_ports(device, gpu);
    ask_health(device, gpu);
    ask_mig(device, gpu);
  }
  machine.gpus.push_back(std::move(gpu));
}

}  // namespace

Result<Topology> ask_driver(const NvmlLibrary& nvml) {
  const int started = nvml.init();
  if (started != kNvmlSuccess) {
    const Errc code = started == kNvmlNoPermission      ? Errc::denied
                      : started == kNvmlDriverNotLoaded ? Errc::not_found
                                                        : Errc::io;
    return Error{code, "NVIDIA's driver: " + nvml.text_of(started)};
  }
  unsigned count = 0;
  const int counted = nvml.count(&count);
  if (counted != kNvmlSuccess) {
    return Error{counted == kNvmlNoPermission ? Errc::denied : Errc::io,
                 "NVIDIA's driver: " + nvml.text_of(counted)};
  }
  DriverQuestions questions{nvml};
  for (unsigned i = 0; i < std::min(count, kGpusMax); ++i) questions.ask_gpu(i);
  settle_links(questions.machine, questions.links);
  if (questions.machine.links.empty() && !questions.any_ports && count > 1) {
    questions.machine.fabric = Fabric::none;  // the driver was asked, and has no NVLink port
  }
  fill_paths(questions.machine);
  if (nvml.shutdown != nullptr) nvml.shutdown();
  return std::move(questions.machine);
}

}  // namespace ringmaster::topology
