// SPDX-License-Identifier: Apache-2.0
//
// One vector of elements of each type: how it is loaded, what the operations do, how it is stored.
// Part of body.h, compiled once for each instruction set.
#pragma once

#include <stddef.h>
#include <stdint.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "collectives/ringmaster_collectives.h"

namespace ringmaster::collectives::RINGMASTER_ISA {
namespace {

#define RINGMASTER_INLINE [[gnu::always_inline]] static inline

constexpr size_t kVectorBytes = 64;

template <class T>
struct VectorOf {
  typedef T Type __attribute__((vector_size(kVectorBytes), may_alias));
};
template <class T>
using Vector = typename VectorOf<T>::Type;

/// A type whose elements are summed as they are. `Signed` is what comparisons look at; whole
/// numbers are added and multiplied as unsigned ones, so that an overflow wraps.
template <class T, class Signed>
struct Plain {
  using Stored = T;
  using Factor = T;
  using Value = Vector<T>;
  static constexpr bool kWhole = static_cast<T>(0.5) == 0;
  static constexpr size_t kLanes = kVectorBytes / sizeof(T);

  RINGMASTER_INLINE Value load(const T* from) {
    Value value;
    __builtin_memcpy(&value, from, kVectorBytes);
    return value;
  }
  RINGMASTER_INLINE void store(T* to, Value value) { __builtin_memcpy(to, &value, kVectorBytes); }
  RINGMASTER_INLINE Value less(Value a, Value b, Value where_less, Value otherwise) {
    return (Vector<Signed>)a < (Vector<Signed>)b ? where_less : otherwise;
  }
  /// Whole numbers have no average, and their sum no factor.
  RINGMASTER_INLINE Value scale(Value value, T factor) { return kWhole ? value : value * factor; }
};

using Float32 = Plain<float, float>;
using Float64 = Plain<double, double>;
using Int32 = Plain<uint32_t, int32_t>;
using Int64 = Plain<uint64_t, int64_t>;
using Uint8 = Plain<uint8_t, uint8_t>;

}  // namespace
}  // namespace ringmaster::collectives::RINGMASTER_ISA
