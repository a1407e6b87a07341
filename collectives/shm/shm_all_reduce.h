// SPDX-License-Identifier: Apache-2.0
//
// An all-reduce under way between ranks of one host. Private to this engine.
#pragma once

#include <algorithm>

#include "collectives/shm/shm_shown.h"

namespace ringmaster::collectives {

/// Of memory that all see so much is reduced at once: it is still in the nearest caches when it is
/// handed out, and between two stretches the abort word is looked at.
inline constexpr std::size_t kDirectStretch = 16 * 1024;

/// Elements [begin, begin + count).
struct Slice {
  std::size_t begin, count;
};

/// The slice of a chunk of `count` elements that the position reduces. Slices begin at a cache
/// line, whatever the type.
inline Slice slice_of(std::size_t count, int position, int ranks) {
  constexpr std::size_t kLine = 64;
  const auto parts = static_cast<std::size_t>(ranks);
  const auto bound = [&](std::size_t part) {
    return std::min(count, (count * part / parts + kLine - 1) / kLine * kLine);
  };
  const auto part = static_cast<std::size_t>(position);
  return {bound(part), bound(part + 1) - bound(part)};
}

struct ShmCommunicator::AllReduce {
  const std::byte* input;
  std::byte* output;
  std::size_t count, width;
  Type type;
  Reduction reduction;
  // In chunks of so many elements, the n-th of which is `first` + n.
  std::size_t per_chunk = 0;
  Chunk first = 0;

  std::size_t bytes() const { return count * width; }
  std::size_t chunks() const { return (count + per_chunk - 1) / per_chunk; }
  std::size_t elements(std::size_t n) const { return std::min(per_chunk, count - n * per_chunk); }
  std::size_t offset(std::size_t n) const { return n * per_chunk * width; }
  /// The elements in bytes [begin, end) of the arrays.
  AllReduce part(std::size_t begin, std::size_t end) const {
    AllReduce some = *this;
    some.input += begin;
    some.output += begin;
    some.count = (end - begin) / width;
    return some;
  }
};

}  // namespace ringmaster::collectives
