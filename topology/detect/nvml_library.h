// SPDX-License-Identifier: Apache-2.0
//
// NVIDIA's management library (NVML), found when the program runs: nothing of NVIDIA's is needed to
// build or to start. The declarations are our own, of the few functions that are called, after the
// NVML API reference; their layouts are part of its ABI and do not change under a name.
#pragma once

#include <string>

#include "base/result.h"

namespace ringmaster::topology {

using NvmlDevice = void*;

/// Results of its functions, as far as they are told apart.
inline constexpr int kNvmlSuccess = 0, kNvmlNotSupported = 3, kNvmlNoPermission = 4,
                     kNvmlDriverNotLoaded = 9, kNvmlGpuIsLost = 15, kNvmlVersionMismatch = 18;

struct NvmlPciInfo {
  char bus_id_legacy[16];
  unsigned domain, bus, device, pci_device_id, pci_subsystem_id;
  char bus_id[32];
};
static_assert(sizeof(NvmlPciInfo) == 68);

struct NvmlUtilization {
  unsigned gpu, memory;  // percent
};
struct NvmlMemory {
  unsigned long long total, free, used;  // bytes
};

struct NvmlFabricInfo {
  unsigned char cluster[16];
  int status;
  unsigned clique;
  unsigned char state;  // 0 has none, 1 not started, 2 in progress, 3 completed
};
static_assert(sizeof(NvmlFabricInfo) == 28);

/// What is at the other end of an NVLink.
inline constexpr int kNvmlRemoteGpu = 0, kNvmlRemoteSwitch = 2;

using NvmlNumber = int (*)(NvmlDevice, unsigned*);
using NvmlText = int (*)(NvmlDevice, char*, unsigned);

/// Functions that are null are not there in this version of the library: what they tell is unknown.
struct NvmlLibrary {
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  const char* (*error_string)(int) = nullptr;
  int (*count)(unsigned*) = nullptr;
  int (*handle_by_index)(unsigned, NvmlDevice*) = nullptr;
  int (*pci_info)(NvmlDevice, NvmlPciInfo*) = nullptr;
  NvmlText name = nullptr, uuid = nullptr;
  int (*nvlink_state)(NvmlDevice, unsigned, int*) = nullptr;
  int (*nvlink_version)(NvmlDevice, unsigned, unsigned*) = nullptr;
  int (*nvlink_remote)(NvmlDevice, unsigned, NvmlPciInfo*) = nullptr;
  int (*nvlink_remote_kind)(NvmlDevice, unsigned, int*) = nullptr;
  NvmlNumber pcie_generation = nullptr, pcie_generation_max = nullptr;
  NvmlNumber pcie_width = nullptr, pcie_width_max = nullptr;
  int (*temperature)(NvmlDevice, int, unsigned*) = nullptr;
  int (*utilization)(NvmlDevice, NvmlUtilization*) = nullptr;
  int (*memory)(NvmlDevice, NvmlMemory*) = nullptr;
  int (*ecc_errors)(NvmlDevice, int, int, unsigned long long*) = nullptr;
  int (*mig_mode)(NvmlDevice, unsigned*, unsigned*) = nullptr;
  NvmlNumber mig_count_max = nullptr;
  int (*mig_handle)(NvmlDevice, unsigned, NvmlDevice*) = nullptr;

  // Of the whole machine; the version of the library itself is told before init, too.
  int (*library_version)(char*, unsigned) = nullptr;
  int (*driver_version)(char*, unsigned) = nullptr;
  int (*cuda_version)(int*) = nullptr;  // 12040 is 12.4
  // Who reaches whose memory (what is asked of it: 0 is reading).
  int (*peer_status)(NvmlDevice, NvmlDevice, int, int*) = nullptr;
  // Rows remapped for corrected and for uncorrected errors, pending, failed.
  int (*remapped_rows)(NvmlDevice, unsigned*, unsigned*, unsigned*, unsigned*) = nullptr;
  int (*retirement_pending)(NvmlDevice, int*) = nullptr;  // of pages, before remapping existed
  int (*throttle_reasons)(NvmlDevice, unsigned long long*) = nullptr;
  int (*compute_mode)(NvmlDevice, int*) = nullptr;
  int (*persistence)(NvmlDevice, int*) = nullptr;
  int (*fabric_info)(NvmlDevice, NvmlFabricInfo*) = nullptr;

  /// Loads it; it is never unloaded. Errc::not_found where there is none, Errc::invalid where it
  /// lacks one of the functions without which nothing is told (those up to pci_info).
  static Result<NvmlLibrary> load(const std::string& name);

  /// The library's own words for a result.
  std::string text_of(int result) const;
};

}  // namespace ringmaster::topology
