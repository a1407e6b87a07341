// SPDX-License-Identifier: Apache-2.0
#include "topology/detect/nvml_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstring>

namespace ringmaster::topology {

namespace {

struct NvmlFinder {
  void* handle;

  template <class Function>
  bool find(const char* name, Function& place) const {
    void* address = ::dlsym(handle, name);
    // POSIX gives functions the form of data pointers; copying the bytes is the way between them.
    std::memcpy(&place, &address, sizeof address);
    return address != nullptr;
  }
};

void find_what_may_lack(const NvmlFinder& finder, NvmlLibrary& nvml) {
  finder.find("nvmlShutdown", nvml.shutdown);
  finder.find("nvmlErrorString", nvml.error_string);
  finder.find("nvmlDeviceGetName", nvml.name);
  finder.find("nvmlDeviceGetUUID", nvml.uuid);
  finder.find("nvmlDeviceGetNvLinkState", nvml.nvlink_state);
  finder.find("nvmlDeviceGetNvLinkVersion", nvml.nvlink_version);
  finder.find("nvmlDeviceGetNvLinkRemotePciInfo_v2", nvml.nvlink_remote);
  finder.find("nvmlDeviceGetNvLinkRemoteDeviceType", nvml.nvlink_remote_kind);
  finder.find("nvmlDeviceGetCurrPcieLinkGeneration", nvml.pcie_generation);
  finder.find("nvmlDeviceGetMaxPcieLinkGeneration", nvml.pcie_generation_max);
  finder.find("nvmlDeviceGetCurrPcieLinkWidth", nvml.pcie_width);
  finder.find("nvmlDeviceGetMaxPcieLinkWidth", nvml.pcie_width_max);
  finder.find("nvmlDeviceGetTemperature", nvml.temperature);
  finder.find("nvmlDeviceGetUtilizationRates", nvml.utilization);
  finder.find("nvmlDeviceGetMemoryInfo", nvml.memory);
  finder.find("nvmlDeviceGetTotalEccErrors", nvml.ecc_errors);
  finder.find("nvmlDeviceGetMigMode", nvml.mig_mode);
  finder.find("nvmlDeviceGetMaxMigDeviceCount", nvml.mig_count_max);
  finder.find("nvmlDeviceGetMigDeviceHandleByIndex", nvml.mig_handle);
}

void find_what_is_checked(const NvmlFinder& finder, NvmlLibrary& nvml) {
  finder.find("nvmlSystemGetNVMLVersion", nvml.library_version);
  finder.find("nvmlSystemGetDriverVersion", nvml.driver_version);
  finder.find("nvmlSystemGetCudaDriverVersion_v2", nvml.cuda_version);
  finder.find("nvmlDeviceGetP2PStatus", nvml.peer_status);
  finder.find("nvmlDeviceGetRemappedRows", nvml.remapped_rows);
  finder.find("nvmlDeviceGetRetiredPagesPendingStatus", nvml.retirement_pending);
  finder.find("nvmlDeviceGetCurrentClocksThrottleReasons", nvml.throttle_reasons);
  finder.find("nvmlDeviceGetComputeMode", nvml.compute_mode);
  finder.find("nvmlDeviceGetPersistenceMode", nvml.persistence);
  finder.find("nvmlDeviceGetGpuFabricInfo", nvml.fabric_info);
}

}  // namespace

Result<NvmlLibrary> NvmlLibrary::load(const std::string& name) {
  void* handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* said = ::dlerror();
    return Error{Errc::not_found, said != nullptr ? said : name + ": it cannot be loaded"};
  }
  const NvmlFinder finder{handle};
  NvmlLibrary nvml;
  const bool whole = finder.find("nvmlInit_v2", nvml.init) &&
                     finder.find("nvmlDeviceGetCount_v2", nvml.count) &&
                     finder.find("nvmlDeviceGetHandleByIndex_v2", nvml.handle_by_index) &&
                     finder.find("nvmlDeviceGetPciInfo_v3", nvml.pci_info);
  if (!whole) return Error{Errc::invalid, name + ": it is no NVML, or one older than CUDA 9"};
  find_what_may_lack(finder, nvml);
  find_what_is_checked(finder, nvml);
  return nvml;
}

std::string NvmlLibrary::text_of(int result) const {
  const char* text = error_string == nullptr ? nullptr : error_string(result);
  return text == nullptr ? fmt::format("NVML error {}", result) : text;
}

}  // namespace ringmaster::topology
