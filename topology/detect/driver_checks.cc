// SPDX-License-Identifier: Apache-2.0
#include "topology/detect/driver_checks.h"

#include <algorithm>
#include <array>

#include "topology/detect/child_answer.h"
#include "topology/pci.h"

namespace ringmaster::topology {

namespace {

constexpr unsigned kCheckedGpusMax = 64;  // pairs are asked for: 4,000 calls

using NvmlVersion = int (*)(char*, unsigned);

std::string asked_version(NvmlVersion ask) {
  std::array<char, 81> text{};
  if (ask == nullptr || ask(text.data(), text.size() - 1) != kNvmlSuccess) return "";
  return text.data();
}

template <class Value>
std::optional<Value> asked_value(int (*ask)(NvmlDevice, Value*), NvmlDevice device) {
  Value value{};
  if (ask == nullptr || ask(device, &value) != kNvmlSuccess) return std::nullopt;
  return value;
}

std::optional<bool> asked_switch(int (*ask)(NvmlDevice, int*), NvmlDevice device) {
  const auto value = asked_value(ask, device);
  return value ? std::optional(*value != 0) : std::nullopt;
}

void ask_memory_repair(const NvmlLibrary& nvml, NvmlDevice device, GpuChecks& gpu) {
  unsigned corrected = 0, uncorrected = 0, pending = 0, failed = 0;
  if (nvml.remapped_rows != nullptr &&
      nvml.remapped_rows(device, &corrected, &uncorrected, &pending, &failed) == kNvmlSuccess) {
    gpu.remap_failed = failed != 0;
    gpu.repair_pending = pending != 0;
  } else {
    gpu.repair_pending = asked_switch(nvml.retirement_pending, device);
  }
}

GpuChecks ask_gpu_checks(const NvmlLibrary& nvml, NvmlDevice device, const std::string& bus_id) {
  GpuChecks gpu{.bus_id = bus_id};
  ask_memory_repair(nvml, device, gpu);
  gpu.throttle = asked_value(nvml.throttle_reasons, device);
  gpu.compute_mode = asked_value(nvml.compute_mode, device);
  gpu.persistence = asked_switch(nvml.persistence, device);
  if (const auto fabric = asked_value(nvml.fabric_info, device)) {
    gpu.fabric_state = fabric->state;
    gpu.fabric_result = fabric->status;
  }
  return gpu;
}

}  // namespace

DriverChecks ask_driver_checks(const NvmlLibrary& nvml) {
  DriverChecks checks{.library_version = asked_version(nvml.library_version)};
  const int started = nvml.init();
  unsigned count = 0;
  const int counted = started == kNvmlSuccess ? nvml.count(&count) : started;
  if (counted != kNvmlSuccess) {
    checks.mismatch = counted == kNvmlVersionMismatch;
    checks.error = nvml.text_of(counted);
    return checks;
  }
  checks.driver_version = asked_version(nvml.driver_version);
  int cuda = 0;
  if (nvml.cuda_version != nullptr && nvml.cuda_version(&cuda) == kNvmlSuccess) {
    checks.cuda_version = cuda;
  }
  std::vector<NvmlDevice> devices;
  for (unsigned i = 0; i < std::min(count, kCheckedGpusMax); ++i) {
    NvmlDevice device = nullptr;
    NvmlPciInfo pci{};
    if (nvml.handle_by_index(i, &device) != kNvmlSuccess) continue;  // lost: the view says so
    if (nvml.pci_info(device, &pci) != kNvmlSuccess) continue;
    pci.bus_id[sizeof pci.bus_id - 1] = '\0';
    const auto bus_id = parse_bus_id(pci.bus_id);
    if (!bus_id) continue;
    devices.push_back(device);
    checks.gpus.push_back(ask_gpu_checks(nvml, device, *bus_id));
  }
  for (std::size_t a = 0; a < devices.size(); ++a) {
    for (std::size_t b = 0; b < devices.size(); ++b) {
      int status = 0;
      constexpr int kReading = 0;
      if (a == b || nvml.peer_status == nullptr ||
          nvml.peer_status(devices[a], devices[b], kReading, &status) != kNvmlSuccess) {
        continue;
      }
      checks.peers.push_back({checks.gpus[a].bus_id, checks.gpus[b].bus_id, status});
    }
  }
  if (nvml.shutdown != nullptr) nvml.shutdown();
  return checks;
}

Result<DriverChecks> read_driver_checks(const std::string& library, Duration patience) {
  const auto text =
      read_child_answer("NVIDIA's driver", patience, [&library]() -> Result<std::string> {
        const auto nvml = NvmlLibrary::load(library);
        if (!nvml) return nvml.error();
        return driver_checks_text(ask_driver_checks(*nvml));
      });
  if (!text) return text.error();
  const auto checks = parse_driver_checks(*text);
  if (!checks) return Error{Errc::io, "NVIDIA's driver: an answer that is none"};
  return *checks;
}

}  // namespace ringmaster::topology
