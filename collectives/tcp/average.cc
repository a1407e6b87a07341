// SPDX-License-Identifier: Apache-2.0
#include "collectives/tcp/average.h"

namespace ringmaster::collectives {

namespace {

template <class T>
void divide_typed(T* sums, std::size_t count, int ranks) {
  const T factor = T{1} / static_cast<T>(ranks);
  for (std::size_t i = 0; i < count; ++i) sums[i] *= factor;
}

}  // namespace

void divide(void* sums, std::size_t count, Type type, int ranks) {
  CHECK(type == RINGMASTER_FLOAT32 || type == RINGMASTER_FLOAT64);
  if (type == RINGMASTER_FLOAT32) return divide_typed(static_cast<float*>(sums), count, ranks);
  divide_typed(static_cast<double*>(sums), count, ranks);
}

}  // namespace ringmaster::collectives
