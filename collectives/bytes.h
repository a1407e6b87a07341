// SPDX-License-Identifier: Apache-2.0
//
// Memory of elements whose type is known only at run time.
#pragma once

#include <cstddef>
#include <cstring>

namespace ringmaster::collectives {

inline const std::byte* at(const void* data, std::size_t offset) {
  return static_cast<const std::byte*>(data) + offset;
}
inline std::byte* at(void* data, std::size_t offset) {
  return static_cast<std::byte*>(data) + offset;
}

/// Either may be null when there is nothing to copy; they may be the same.
inline void copy_bytes(void* to, const void* from, std::size_t bytes) {
  if (bytes > 0 && to != from) std::memmove(to, from, bytes);
}

}  // namespace ringmaster::collectives
