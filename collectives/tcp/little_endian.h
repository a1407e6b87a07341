// SPDX-License-Identifier: Apache-2.0
//
// Whole numbers as little-endian bytes: the frames between ranks look the same on every machine.
//
// Pure. The caller has checked that there is room.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ringmaster::collectives {

inline void put_u32(std::byte* to, std::uint32_t value) {
  for (unsigned i = 0; i < 4; ++i) to[i] = static_cast<std::byte>(value >> (8 * i));
}

inline void put_u64(std::byte* to, std::uint64_t value) {
  for (unsigned i = 0; i < 8; ++i) to[i] = static_cast<std::byte>(value >> (8 * i));
}

inline std::uint32_t get_u32(const std::byte* from) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < 4; ++i) value |= static_cast<std::uint32_t>(from[i]) << (8 * i);
  return value;
}

inline std::uint64_t get_u64(const std::byte* from) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < 8; ++i) value |= static_cast<std::uint64_t>(from[i]) << (8 * i);
  return value;
}

}  // namespace ringmaster::collectives
