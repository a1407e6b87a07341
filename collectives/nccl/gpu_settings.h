// SPDX-License-Identifier: Apache-2.0
//
// Where NCCL and the CUDA runtime are looked for, and how arrays travel. Both libraries lie in odd
// places when they came with a Python package, so a variable can name the file.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace ringmaster::collectives {

/// The file of NCCL, instead of libnccl.so.2 where the system finds it.
inline constexpr const char* kNcclLibraryVariable = "RINGMASTER_NCCL_LIBRARY";
/// The file of the CUDA runtime, instead of libcudart.so.13, .12 or .11.0.
inline constexpr const char* kCudaRuntimeVariable = "RINGMASTER_CUDA_RUNTIME";

/// As what all-reduces of float32 travel between GPUs: float32 (the default), bfloat16 or float16.
inline constexpr const char* kGpuWireVariable = "RINGMASTER_GPU_WIRE";

/// The same on all ranks.
enum class GpuWire { float32, bfloat16, float16 };
const char* wire_name(GpuWire wire);
/// Errc::invalid for a word that is none of them.
Result<GpuWire> read_gpu_wire();

/// The names to try, in order: the variable's alone when it is set.
std::vector<std::string> read_nccl_names();
std::vector<std::string> read_cuda_runtime_names();

}  // namespace ringmaster::collectives
