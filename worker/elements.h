// SPDX-License-Identifier: Apache-2.0
//
// The C++ types of elements, and statuses of the C ABI as Results.
#pragma once

#include <cstdint>
#include <type_traits>

#include "base/result.h"
#include "collectives/ringmaster_collectives.h"

namespace ringmaster::worker {

/// A status of the C ABI with its message, as a Result.
inline Result<void> to_result(ringmaster_status status) {
  if (status == RINGMASTER_OK) return {};
  return Error{static_cast<Errc>(status - 1), ringmaster_error_message()};
}
static_assert(static_cast<int>(Errc::invalid) + 1 == RINGMASTER_INVALID);
static_assert(static_cast<int>(Errc::generation_changed) + 1 == RINGMASTER_GENERATION_CHANGED);
static_assert(static_cast<int>(Errc::closed) + 1 == RINGMASTER_CLOSED);

/// The bits of a 16-bit float, for which C++20 has no type. Cast the pointers of a library's own.
struct Float16 {
  std::uint16_t bits;
};
struct BFloat16 {
  std::uint16_t bits;
};

template <class>
inline constexpr bool kIsElement = false;

template <class T>
constexpr ringmaster_type type_of() {
  if constexpr (std::is_same_v<T, float>) {
    return RINGMASTER_FLOAT32;
  } else if constexpr (std::is_same_v<T, double>) {
    return RINGMASTER_FLOAT64;
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    return RINGMASTER_INT32;
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return RINGMASTER_INT64;
  } else if constexpr (std::is_same_v<T, std::uint8_t>) {
    return RINGMASTER_UINT8;
  } else if constexpr (std::is_same_v<T, Float16>) {
    return RINGMASTER_FLOAT16;
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return RINGMASTER_BFLOAT16;
  } else {
    static_assert(kIsElement<T>,
                  "elements are float, double, int32_t, int64_t, uint8_t, Float16 "
                  "and BFloat16");
  }
}

}  // namespace ringmaster::worker
