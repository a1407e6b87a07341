// SPDX-License-Identifier: Apache-2.0
//
// A small random generator whose numbers are the same on every machine and library: splitmix64
// (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014). The standard
// library's distributions are not portable, and a seed printed by a failing test must replay.
//
// Pure: the seed is an argument. Not thread-safe; give each thread its own.
#pragma once

#include <cstdint>

#include "base/check.h"

namespace ringmaster {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  /// A whole number in [0, bound); the bias of the multiplication is below 2^-32 for our bounds.
  std::uint64_t below(std::uint64_t bound) {
    CHECK_LT(std::uint64_t{0}, bound);
    return static_cast<std::uint64_t>((static_cast<Wide>(next()) * static_cast<Wide>(bound)) >> 64);
  }
  /// A number in [0, 1) with 53 random bits.
  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  bool chance(double probability) { return unit() < probability; }

 private:
  __extension__ using Wide = unsigned __int128;  // the keyword: no standard type is as wide

  std::uint64_t state_;
};

}  // namespace ringmaster
