// SPDX-License-Identifier: Apache-2.0
//
// Scale and cast in one pass over the memory: float32 to a float of 16 bits and back, which NCCL does
// not have. Compiled by nvcc into a library of its own (cmake/cuda.cmake) with a C interface; what it
// is for is in narrow_wire.h.
//
// The work is bound by memory: a thread takes four elements at a time, 16 bytes on one side and 8 on
// the other, and what is left over one by one.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kBlocksMax = 1024;  // enough for every GPU; the rest is the loop's

struct alignas(8) FourShort {
  uint16_t of[4];
};

struct Brain {
  static __device__ uint16_t narrow(float value) {
    return __bfloat16_as_ushort(__float2bfloat16_rn(value));
  }
  static __device__ float widen(uint16_t bits) {
    return __bfloat162float(__ushort_as_bfloat16(bits));
  }
};

struct Half {
  static __device__ uint16_t narrow(float value) {
    return __half_as_ushort(__float2half_rn(value));
  }
  static __device__ float widen(uint16_t bits) { return __half2float(__ushort_as_half(bits)); }
};

template <class Format>
__global__ void narrow_all(const float* in, uint16_t* out, size_t count, size_t fours,
                           float factor) {
  const size_t first = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
  const size_t step = gridDim.x * static_cast<size_t>(blockDim.x);
  for (size_t i = first; i < fours; i += step) {
    const float4 four = reinterpret_cast<const float4*>(in)[i];
    reinterpret_cast<FourShort*>(out)[i] = {
        {Format::narrow(four.x * factor), Format::narrow(four.y * factor),
         Format::narrow(four.z * factor), Format::narrow(four.w * factor)}};
  }
  for (size_t i = fours * 4 + first; i < count; i += step) {
    out[i] = Format::narrow(in[i] * factor);
  }
}

template <class Format>
__global__ void widen_all(const uint16_t* in, float* out, size_t count, size_t fours,
                          float factor) {
  const size_t first = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
  const size_t step = gridDim.x * static_cast<size_t>(blockDim.x);
  for (size_t i = first; i < fours; i += step) {
    const FourShort four = reinterpret_cast<const FourShort*>(in)[i];
    reinterpret_cast<float4*>(out)[i] =
        make_float4(Format::widen(four.of[0]) * factor, Format::widen(four.of[1]) * factor,
                    Format::widen(four.of[2]) * factor, Format::widen(four.of[3]) * factor);
  }
  for (size_t i = fours * 4 + first; i < count; i += step) {
    out[i] = Format::widen(in[i]) * factor;
  }
}

/// How many times four elements may be taken at once: none where an array, a slice of a larger one,
/// begins in the middle of sixteen bytes.
size_t fours_of(const float* wide, const uint16_t* narrow, size_t count) {
  const bool aligned = reinterpret_cast<uintptr_t>(wide) % sizeof(float4) == 0 &&
                       reinterpret_cast<uintptr_t>(narrow) % sizeof(FourShort) == 0;
  return aligned ? count / 4 : 0;
}

unsigned blocks_for(size_t count) {
  const size_t wanted = (count / 4 + kThreads) / kThreads;
  return static_cast<unsigned>(wanted < kBlocksMax ? wanted : kBlocksMax);
}

}  // namespace

#define RINGMASTER_KERNEL_EXPORT extern "C" __attribute__((visibility("default")))

// `brain`: bfloat16, else float16. The result is CUDA's code of the launch.

RINGMASTER_KERNEL_EXPORT int ringmaster_cuda_narrow(const float* in, void* out, size_t count,
                                                    float factor, int brain, void* stream) {
  auto* const on = static_cast<cudaStream_t>(stream);
  auto* const to = static_cast<uint16_t*>(out);
  const size_t fours = fours_of(in, to, count);
  if (brain != 0) {
    narrow_all<Brain><<<blocks_for(count), kThreads, 0, on>>>(in, to, count, fours, factor);
  } else {
    narrow_all<Half><<<blocks_for(count), kThreads, 0, on>>>(in, to, count, fours, factor);
  }
  return static_cast<int>(cudaGetLastError());
}

RINGMASTER_KERNEL_EXPORT int ringmaster_cuda_widen(const void* in, float* out, size_t count,
                                                   float factor, int brain, void* stream) {
  auto* const on = static_cast<cudaStream_t>(stream);
  const auto* const from = static_cast<const uint16_t*>(in);
  const size_t fours = fours_of(out, from, count);
  if (brain != 0) {
    widen_all<Brain><<<blocks_for(count), kThreads, 0, on>>>(from, out, count, fours, factor);
  } else {
    widen_all<Half><<<blocks_for(count), kThreads, 0, on>>>(from, out, count, fours, factor);
  }
  return static_cast<int>(cudaGetLastError());
}
