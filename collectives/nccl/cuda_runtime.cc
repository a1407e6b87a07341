// SPDX-License-Identifier: Apache-2.0
#include "collectives/nccl/cuda_runtime.h"

#include <fmt/format.h>

#include "collectives/nccl/gpu_settings.h"
#include "collectives/nccl/loaded_library.h"

namespace ringmaster::collectives {

namespace {

std::vector<WantedSymbol> cuda_symbols(CudaRuntime& to) {
  return {wanted_symbol("cudaGetDeviceCount", to.get_device_count),
          wanted_symbol("cudaSetDevice", to.set_device),
          wanted_symbol("cudaDeviceGetPCIBusId", to.get_device_bus_id),
          wanted_symbol("cudaGetErrorString", to.get_error_string),
          wanted_symbol("cudaGetLastError", to.get_last_error),
          wanted_symbol("cudaPointerGetAttributes", to.pointer_get_attributes),
          wanted_symbol("cudaStreamCreateWithFlags", to.stream_create),
          wanted_symbol("cudaStreamDestroy", to.stream_destroy),
          wanted_symbol("cudaStreamQuery", to.stream_query),
          wanted_symbol("cudaStreamWaitEvent", to.stream_wait_event),
          wanted_symbol("cudaEventCreateWithFlags", to.event_create),
          wanted_symbol("cudaEventRecord", to.event_record),
          wanted_symbol("cudaEventDestroy", to.event_destroy),
          wanted_symbol("cudaMemcpyAsync", to.memcpy_async),
          wanted_symbol("cudaMalloc", to.allocate),
          wanted_symbol("cudaFree", to.release),
          wanted_symbol("cudaHostAlloc", to.allocate_host),
          wanted_symbol("cudaFreeHost", to.release_host)};
}

}  // namespace

Result<CudaRuntime> CudaRuntime::load(const std::vector<std::string>& names) {
  auto library = load_library(names);
  if (!library) {
    return Error{library.error().code,
                 fmt::format("no CUDA runtime: {}; install it, or name its file in {}",
                             library.error().message, kCudaRuntimeVariable)};
  }
  CudaRuntime runtime;
  runtime.name = library->name;
  auto found = find_symbols(*library, cuda_symbols(runtime));
  if (!found) {
    return Error{found.error().code,
                 found.error().message + ": the CUDA runtime must be 11.0 or newer"};
  }
  return runtime;
}

std::string CudaRuntime::text_of(int code) const {
  const char* text = get_error_string(code);
  return fmt::format("{} (CUDA error {})", text != nullptr ? text : "unknown", code);
}

Result<void> CudaRuntime::check(int code, const char* what) const {
  if (code == kCudaSuccess) return {};
  static_cast<void>(get_last_error());  // else the program's next look finds our error
  return Error{Errc::io, fmt::format("{}: {}", what, text_of(code))};
}

Result<int> CudaRuntime::count_devices() const {
  int count = 0;
  const int code = get_device_count(&count);
  if (code == kCudaSuccess && count > 0) return count;
  static_cast<void>(get_last_error());
  const std::string why =
      code == kCudaSuccess ? "it finds none (is CUDA_VISIBLE_DEVICES empty?)" : text_of(code);
  const char* hint = code == kCudaOldDriver
                         ? "; install NVIDIA's driver, or one as new as the CUDA runtime"
                         : "; nvidia-smi shows what the driver sees";
  return Error{Errc::not_found, fmt::format("no GPU: {}: {}{}", name, why, hint)};
}

}  // namespace ringmaster::collectives
