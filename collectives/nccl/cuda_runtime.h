// SPDX-License-Identifier: Apache-2.0
//
// The few functions of the CUDA runtime that we use, found when the program runs: no header and no
// toolkit is needed to build, no driver to start.
//
// The declarations follow the runtime's C interface, the same from CUDA 11 to 13. A code of 0 is
// success, text_of() says the others.
//
// Thread rules: the functions are thread-safe; the current device is the calling thread's.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"

namespace ringmaster::collectives {

/// The runtime's handles of a stream and of an event.
using CudaStream = void*;
using CudaEvent = void*;

inline constexpr int kCudaSuccess = 0;
inline constexpr int kCudaNotReady = 600;
/// No driver, an older driver than the runtime needs, no device: nothing to be repaired here.
inline constexpr int kCudaOldDriver = 35;
inline constexpr int kCudaNoDevice = 100;

/// What cudaPointerGetAttributes fills. Newer runtimes write more than older ones.
struct CudaPointer {
  int type = 0;  // 0 ordinary, 1 pinned, 2 device, 3 managed memory
  int device = 0;
  void* on_device = nullptr;
  void* on_host = nullptr;
  long reserved[8] = {};
};

struct CudaRuntime {
  /// Loads it from the first of `names` that is there (gpu_settings.h has the usual ones).
  static Result<CudaRuntime> load(const std::vector<std::string>& names);

  /// How many GPUs this process may use; Errc::not_found says what is missing and what to do.
  Result<int> count_devices() const;
  /// Errc::io with what failed and the runtime's own text, unless the code is 0.
  Result<void> check(int code, const char* what) const;
  std::string text_of(int code) const;

  std::string name;  // of the file
  int (*get_device_count)(int*) = nullptr;
  int (*set_device)(int) = nullptr;
  int (*get_device_bus_id)(char*, int, int) = nullptr;
  const char* (*get_error_string)(int) = nullptr;
  int (*get_last_error)() = nullptr;
  int (*pointer_get_attributes)(CudaPointer*, const void*) = nullptr;
  int (*stream_create)(CudaStream*, unsigned flags) = nullptr;
  int (*stream_destroy)(CudaStream) = nullptr;
  int (*stream_query)(CudaStream) = nullptr;
  int (*stream_wait_event)(CudaStream, CudaEvent, unsigned flags) = nullptr;
  int (*event_create)(CudaEvent*, unsigned flags) = nullptr;
  int (*event_record)(CudaEvent, CudaStream) = nullptr;
  int (*event_destroy)(CudaEvent) = nullptr;
  int (*memcpy_async)(void*, const void*, std::size_t, int kind, CudaStream) = nullptr;
  int (*allocate)(void**, std::size_t) = nullptr;
  int (*release)(void*) = nullptr;
  int (*allocate_host)(void**, std::size_t, unsigned flags) = nullptr;
  int (*release_host)(void*) = nullptr;
};

}  // namespace ringmaster::collectives
