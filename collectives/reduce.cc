// SPDX-License-Identifier: Apache-2.0
#include "collectives/reduce.h"

#include <cstdint>
#include <numeric>

#include "base/check.h"
#include "collectives/kernels/kernel.h"

namespace ringmaster::collectives {

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
    case RINGMASTER_FLOAT16:
    case RINGMASTER_BFLOAT16:
      return sizeof(std::uint16_t);
  }
  CHECK(false);
}

std::size_t total(const Counts& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

std::size_t before(const Counts& counts, int position) {
  return std::accumulate(counts.begin(), counts.begin() + position, std::size_t{0});
}

void reduce(const std::vector<const void*>& inputs, void* output, std::size_t count, Type type,
            Reduction reduction, int average_of) {
  const int ranks = static_cast<int>(inputs.size());
  reduce_stretches({.inputs = inputs.data(),
                    .input_count = ranks,
                    .outputs = &output,
                    .output_count = 1,
                    .count = count,
                    .average_of = average_of > 0 ? average_of : ranks},
                   type, reduction);
}

const char* reduction_problem(Type type, Reduction reduction) {
  const bool whole =
      type == RINGMASTER_INT32 || type == RINGMASTER_INT64 || type == RINGMASTER_UINT8;
  return reduction == RINGMASTER_AVERAGE && whole ? "the average is for floats only" : "";
}

}  // namespace ringmaster::collectives
