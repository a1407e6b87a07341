// SPDX-License-Identifier: Apache-2.0
//
// What NVIDIA's driver is asked by somebody who looks for faults, beside what GPUs there are and
// how they are wired (driver_view.h): versions, which GPUs reach each other's memory, memory that
// must be repaired, clocks that are held down, modes that keep programs out.
//
// It is an answer of its own and no part of a Topology: it says how the machine is just now, and
// nothing of how it is built. Numbers are those of the NVML API reference.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "topology/detect/nvml_library.h"

namespace ringmaster::topology {

/// Bits of GpuChecks::throttle: what holds clocks down, of which the ones here are faults.
inline constexpr unsigned long long kThrottleHardware = 0x8, kThrottleSoftwareHeat = 0x20,
                                    kThrottleHardwareHeat = 0x40, kThrottlePowerBrake = 0x80;

/// One GPU; what its driver does not tell is empty.
struct GpuChecks {
  std::string bus_id;
  std::optional<bool> remap_failed = std::nullopt, repair_pending = std::nullopt;
  std::optional<unsigned long long> throttle = std::nullopt;
  std::optional<int> compute_mode = std::nullopt;  // 0 shared, 2 prohibited, 3 one process
  std::optional<bool> persistence = std::nullopt;
  std::optional<int> fabric_state = std::nullopt;   // of NvmlFabricInfo
  std::optional<int> fabric_result = std::nullopt;  // where that is completed: 0 is success

  bool operator==(const GpuChecks&) const = default;
};

/// Whether one GPU reads another's memory: NVML's status (0 yes, 1 chipset, 2 GPU, 3 topology,
/// 4 disabled, 5 not supported, 6 unknown).
struct PeerAccess {
  std::string from, to;  // bus ids
  int status = 0;

  bool operator==(const PeerAccess&) const = default;
};

struct DriverChecks {
  // "": not told. The library's is of NVML itself ("12.535.129.03": CUDA's, then the driver's).
  std::string library_version = {}, driver_version = {};
  std::optional<int> cuda_version = std::nullopt;  // 12040 is 12.4
  bool mismatch = false;   // library and kernel module are not of one version: nothing else is told
  std::string error = {};  // why the driver cannot be asked; "" where it can
  std::vector<GpuChecks> gpus = {};
  std::vector<PeerAccess> peers = {};  // of each ordered pair that the driver tells of

  bool operator==(const DriverChecks&) const = default;
};

/// Asks the loaded library. May hang where the driver does. A driver that cannot be asked is an
/// answer, too: see `error`.
DriverChecks ask_driver_checks(const NvmlLibrary& nvml);

/// Loads the library and asks in a child process. Errc::timed_out after `patience`, Errc::not_found
/// where there is no library. Thread rules: as read_child_answer (child_answer.h).
Result<DriverChecks> read_driver_checks(const std::string& library, Duration patience);

/// Pure: the answer as it goes through the pipe, and back. Nothing for a text that is no answer.
std::string driver_checks_text(const DriverChecks& checks);
std::optional<DriverChecks> parse_driver_checks(std::string_view text);

}  // namespace ringmaster::topology
