// SPDX-License-Identifier: Apache-2.0
//
// All-reduces of float32 that travel in 16 bits: half the bytes on every link, for gradients that
// can bear the rounding. It is an option (gpu_settings.h), the same on all ranks.
//
// An array is cast in pieces into a buffer of 16-bit floats, which NCCL sums, and cast back. An
// average is divided before it is summed, in the same pass as the cast: float16 ends at 65504,
// which a sum of many ranks would pass. Each element is rounded once on its way in, and as NCCL
// rounds on its way around.
//
// The kernels are a library of their own, for what nvcc compiled is large, and needs a GPU. Method
// of casting: cast_kernels.cu.
//
// Thread rules: one thread.
#pragma once

#include "collectives/nccl/gpu_settings.h"
#include "collectives/nccl/gpu_stream.h"

namespace ringmaster::collectives {

class NarrowWire {
 public:
  /// Elements that are cast at a time: 64 MiB of float32.
  static constexpr std::size_t kPiece = 16 << 20;

  /// Loads the kernels from the first of `files` that is there. `wire` is not none.
  static Result<NarrowWire> load(GpuWire wire, const std::vector<std::string>& files);

  /// Whether such an all-reduce goes this way.
  static bool fits(Type type, Reduction reduction) {
    return type == RINGMASTER_FLOAT32 &&
           (reduction == RINGMASTER_SUM || reduction == RINGMASTER_AVERAGE);
  }
  /// The type that travels.
  Type type() const {
    return wire_ == GpuWire::bfloat16 ? RINGMASTER_BFLOAT16 : RINGMASTER_FLOAT16;
  }
  /// Puts the cast of `count` elements times `factor` on the stream. The result is in the buffer.
  Result<void*> narrow(GpuStream& gpu, const float* in, std::size_t count, float factor);
  /// Puts the cast of what is in the buffer on the stream.
  Result<void> widen(GpuStream& gpu, float* out, std::size_t count);

 private:
  explicit NarrowWire(GpuWire wire) : wire_(wire) {}

  GpuWire wire_;
  int (*narrow_)(const float*, void*, std::size_t, float, int brain, CudaStream) = nullptr;
  int (*widen_)(const void*, float*, std::size_t, float, int brain, CudaStream) = nullptr;
  std::vector<CudaMemory> buffer_;  // one, once it is needed
};

}  // namespace ringmaster::collectives
