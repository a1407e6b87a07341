// SPDX-License-Identifier: Apache-2.0
#include "collectives/reduce.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace ringmaster::collectives {

namespace {

// Elements a pass works on: the running sum stays in the first-level cache while the inputs stream.
constexpr std::size_t kBlock = 2048;

template <class T>
void accumulate(T* sum, const T* input, std::size_t count, Reduction reduction) {
  switch (reduction) {
    case RINGMASTER_SUM:
    case RINGMASTER_AVERAGE:
      for (std::size_t i = 0; i < count; ++i) sum[i] = static_cast<T>(sum[i] + input[i]);
      return;
    case RINGMASTER_MIN:
      for (std::size_t i = 0; i < count; ++i) sum[i] = std::min(sum[i], input[i]);
      return;
    case RINGMASTER_MAX:
      for (std::size_t i = 0; i < count; ++i) sum[i] = std::max(sum[i], input[i]);
      return;
  }
}

template <class T>
void reduce_typed(const std::vector<const void*>& inputs, T* output, std::size_t count,
                  Reduction reduction) {
  for (std::size_t begin = 0; begin < count; begin += kBlock) {
    const std::size_t length = std::min(kBlock, count - begin);
    std::memcpy(output + begin, static_cast<const T*>(inputs[0]) + begin, length * sizeof(T));
    for (std::size_t i = 1; i < inputs.size(); ++i) {
      accumulate(output + begin, static_cast<const T*>(inputs[i]) + begin, length, reduction);
    }
    if constexpr (std::is_floating_point_v<T>) {
      if (reduction == RINGMASTER_AVERAGE) {
        const T factor = T{1} / static_cast<T>(inputs.size());
        for (std::size_t i = 0; i < length; ++i) output[begin + i] *= factor;
      }
    }
  }
}

}  // namespace

std::size_t size_of(Type type) {
  switch (type) {
    case RINGMASTER_FLOAT32:
      return sizeof(float);
    case RINGMASTER_FLOAT64:
      return sizeof(double);
    case RINGMASTER_INT32:
      return sizeof(std::int32_t);
    case RINGMASTER_INT64:
      return sizeof(std::int64_t);
    case RINGMASTER_UINT8:
      return sizeof(std::uint8_t);
  }
  CHECK(false);
}

void reduce(const std::vector<const void*>& inputs, void* output, std::size_t count, Type type,
            Reduction reduction) {
  CHECK(!inputs.empty());
  switch (type) {
    case RINGMASTER_FLOAT32:
      return reduce_typed(inputs, static_cast<float*>(output), count, reduction);
    case RINGMASTER_FLOAT64:
      return reduce_typed(inputs, static_cast<double*>(output), count, reduction);
    case RINGMASTER_INT32:
      return reduce_typed(inputs, static_cast<std::int32_t*>(output), count, reduction);
    case RINGMASTER_INT64:
      return reduce_typed(inputs, static_cast<std::int64_t*>(output), count, reduction);
    case RINGMASTER_UINT8:
      return reduce_typed(inputs, static_cast<std::uint8_t*>(output), count, reduction);
  }
}

const char* reduction_problem(Type type, Reduction reduction) {
  const bool real = type == RINGMASTER_FLOAT32 || type == RINGMASTER_FLOAT64;
  return reduction == RINGMASTER_AVERAGE && !real ? "the average is for floats only" : "";
}

}  // namespace ringmaster::collectives
