// SPDX-License-Identifier: Apache-2.0
//
// What tests tell the stand-ins for the CUDA runtime and NCCL (tests/fakes), and ask them. Both are
// shared libraries with the real ones' interfaces, which move host memory between threads of one
// process, each of which is a rank. Only tests include it.
//
// Thread rules: all functions are thread-safe.
#pragma once

#include <dlfcn.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/check.h"

namespace ringmaster::collectives {

/// The libraries' files.
inline const std::string& cuda_stand_in_file() {
  static const std::string file = RINGMASTER_BINARY_DIR "/../lib/libcuda-stand-in.so";
  return file;
}
inline const std::string& cuda_kernels_stand_in_file() {
  static const std::string file = RINGMASTER_BINARY_DIR "/../lib/libcuda-kernels-stand-in.so";
  return file;
}
/// The real ones, where nvcc has built them.
inline const std::string& kernel_file_for_test() {
  static const std::string file = RINGMASTER_BINARY_DIR "/../lib/libringmaster-cuda.so";
  return file;
}
inline const std::string& nccl_stand_in_file() {
  static const std::string file = RINGMASTER_BINARY_DIR "/../lib/libnccl-stand-in.so";
  return file;
}

struct CudaStandIn {
  /// Eight devices, no faults.
  void (*reset)();
  /// -1: there is no driver.
  void (*set_devices)(int count);
  /// What the next call of the function returns, whoever makes it.
  void (*fail_next)(const char* function, int code);
  /// Nothing that is put on a stream from now on is ever done.
  void (*stall_streams)(bool stalled);
  /// Allocations, streams and events that were not given back.
  int (*living)();
};

struct NcclFault {
  enum class Kind {
    refuse,       // the next call of `function` returns `result`
    async_error,  // the next work fails later: the communicator then says `result`
    hang,         // the rank's work is never done
    stay,         // the rank's communicator is never ready
  };
  Kind kind = Kind::refuse;
  int rank = 0;
  const char* function = "";
  int result = 0;
};

struct NcclStandIn {
  /// Forgets everything: communicators, faults, log.
  void (*reset)();
  void (*set_version)(int version);
  void (*inject)(const NcclFault& fault);
  /// The calls of the rank in order, without questions for the asynchronous error.
  std::vector<std::string> (*log)(int rank);
  /// What NCCL forbids, in words.
  std::vector<std::string> (*misuses)();
  /// Communicators neither destroyed nor aborted.
  int (*living)();
};

/// What a stand-in exports under the name beside its interface.
template <class StandIn>
const StandIn& stand_in_of(const std::string& file, const char* name) {
  void* handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) check_failed(__FILE__, __LINE__, ::dlerror());
  const void* found = ::dlsym(handle, name);
  CHECK(found != nullptr);
  return *static_cast<const StandIn*>(found);
}
inline const CudaStandIn& cuda_stand_in() {
  return stand_in_of<CudaStandIn>(cuda_stand_in_file(), "ringmaster_cuda_stand_in");
}
inline const NcclStandIn& nccl_stand_in() {
  return stand_in_of<NcclStandIn>(nccl_stand_in_file(), "ringmaster_nccl_stand_in");
}

}  // namespace ringmaster::collectives
