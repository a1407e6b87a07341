// SPDX-License-Identifier: Apache-2.0
//
// How an array is cut into the blocks of a plan. Pure.
#pragma once

#include <cstddef>

namespace ringmaster::collectives {

/// Bytes [begin, begin + bytes) of an array.
struct Stretch {
  std::size_t begin = 0;
  std::size_t bytes = 0;
  friend bool operator==(const Stretch&, const Stretch&) = default;
};

/// The part of an array of `count` elements of `width` bytes; parts begin at multiples of 64
/// elements, so that no cache line or vector is cut. Some are empty where the array is short.
Stretch slice_of(std::size_t count, std::size_t width, int part, int parts);

}  // namespace ringmaster::collectives
