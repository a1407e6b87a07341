// SPDX-License-Identifier: Apache-2.0
//
// A stand-in for our CUDA kernels: the same functions on the streams of the stand-in. bfloat16
// alone, which is a rounding and no more; float16 is refused as CUDA refuses an argument.
#include <cstdint>
#include <cstring>

#include "tests/fakes/cuda_streams.h"

namespace ringmaster::fakes {
namespace {

std::uint16_t narrow_one(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

float widen_one(std::uint16_t narrow) {
  const std::uint32_t bits = static_cast<std::uint32_t>(narrow) << 16;
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace
}  // namespace ringmaster::fakes

using namespace ringmaster::fakes;

extern "C" {

RINGMASTER_STAND_IN_EXPORT int ringmaster_cuda_narrow(const float* in, void* out, std::size_t count,
                                                      float factor, int brain, void* stream) {
  constexpr int kInvalidArgument = 1;
  if (brain == 0) return kInvalidArgument;
  const std::lock_guard lock(stand_in_lock());
  put_on_stream(stream, [=] {
    for (std::size_t i = 0; i < count; ++i) {
      static_cast<std::uint16_t*>(out)[i] = narrow_one(in[i] * factor);
    }
    return true;
  });
  return 0;
}

RINGMASTER_STAND_IN_EXPORT int ringmaster_cuda_widen(const void* in, float* out, std::size_t count,
                                                     float factor, int, void* stream) {
  const std::lock_guard lock(stand_in_lock());
  put_on_stream(stream, [=] {
    for (std::size_t i = 0; i < count; ++i) {
      out[i] = widen_one(static_cast<const std::uint16_t*>(in)[i]) * factor;
    }
    return true;
  });
  return 0;
}

}  // extern "C"
