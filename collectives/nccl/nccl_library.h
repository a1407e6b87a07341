// SPDX-License-Identifier: Apache-2.0
//
// NCCL, found when the program runs. Its declarations are our own, so no header is needed to build;
// they follow NCCL's C interface, of which 2.18 has all that is needed here.
//
// Thread rules: functions of one communicator are called by one thread at a time.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "collectives/communicator.h"
#include "collectives/nccl/cuda_runtime.h"

namespace ringmaster::collectives {

/// NCCL's handle of a communicator.
using NcclHandle = void*;

/// What all ranks of a communicator must know to find each other.
struct NcclUniqueId {
  char bytes[128] = {};
};

/// NCCL's results.
inline constexpr int kNcclSuccess = 0;
inline constexpr int kNcclSystemError = 2;
inline constexpr int kNcclRemoteError = 6;
inline constexpr int kNcclInProgress = 7;

/// The settings of a communicator as 2.18 knows them; newer libraries read `size` and `version` and
/// take their own defaults for what came later.
struct NcclConfig {
  static constexpr int kUnset = INT32_MIN;
  std::size_t size = sizeof(NcclConfig);
  unsigned magic = 0xcafebeef;
  unsigned version = 21800;
  int blocking = 0;  // calls return at once, and the communicator is asked how they went
  int cga_cluster_size = kUnset;
  int min_ctas = kUnset;
  int max_ctas = kUnset;
  const char* net_name = nullptr;
  int split_share = kUnset;
};

struct NcclLibrary {
  /// 2.18: the first with all that is needed (non-blocking communicators that can be aborted while
  /// they are made, and ncclGetLastError for them).
  static constexpr int kOldestVersion = 21800;

  /// Loads it from the first of `names` that is there (gpu_settings.h has the usual ones).
  static Result<NcclLibrary> load(const std::vector<std::string>& names);

  /// "2.28.9".
  static std::string version_text(int version);
  /// NCCL's word for the result, and the text of the last error on the communicator (may be null).
  std::string text_of(int result, NcclHandle communicator) const;

  std::string name;  // of the file
  int version = 0;   // 22809 is 2.28.9
  int (*get_version)(int*) = nullptr;
  int (*get_unique_id)(NcclUniqueId*) = nullptr;
  int (*init)(NcclHandle*, int ranks, NcclUniqueId, int rank, NcclConfig*) = nullptr;
  int (*finalize)(NcclHandle) = nullptr;
  int (*destroy)(NcclHandle) = nullptr;
  int (*abort)(NcclHandle) = nullptr;
  int (*get_async_error)(NcclHandle, int*) = nullptr;
  const char* (*get_error_string)(int) = nullptr;
  const char* (*get_last_error)(NcclHandle) = nullptr;
  int (*group_start)() = nullptr;
  int (*group_end)() = nullptr;
  int (*all_reduce)(const void*, void*, std::size_t, int type, int op, NcclHandle,
                    CudaStream) = nullptr;
  int (*reduce)(const void*, void*, std::size_t, int type, int op, int root, NcclHandle,
                CudaStream) = nullptr;
  int (*reduce_scatter)(const void*, void*, std::size_t, int type, int op, NcclHandle,
                        CudaStream) = nullptr;
  int (*all_gather)(const void*, void*, std::size_t, int type, NcclHandle, CudaStream) = nullptr;
  int (*broadcast)(const void*, void*, std::size_t, int type, int root, NcclHandle,
                   CudaStream) = nullptr;
  int (*send)(const void*, std::size_t, int type, int peer, NcclHandle, CudaStream) = nullptr;
  int (*receive)(void*, std::size_t, int type, int peer, NcclHandle, CudaStream) = nullptr;
};

/// NCCL's numbers of our types and reductions.
int nccl_type(Type type);
int nccl_reduction(Reduction reduction);

}  // namespace ringmaster::collectives
