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

/// The same for what will not be read before the caches have forgotten it: the lines that it goes
/// to are not read first.
void stream_bytes(void* to, const void* from, std::size_t bytes);

/// Bytes of this machine's largest cache.
std::size_t largest_cache();

}  // namespace ringmaster::collectives
