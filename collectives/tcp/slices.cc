// SPDX-License-Identifier: Apache-2.0
#include "collectives/tcp/slices.h"

#include <algorithm>

#include "base/check.h"

namespace ringmaster::collectives {

Stretch slice_of(std::size_t count, std::size_t width, int part, int parts) {
  constexpr std::size_t kElements = 64;
  CHECK(part >= 0 && part < parts);
  const auto bound = [&](int at) {
    const auto whole = static_cast<std::size_t>(at), all = static_cast<std::size_t>(parts);
    // count * at / parts, without the product that could overflow.
    const std::size_t even = count / all * whole + count % all * whole / all;
    return std::min(count, (even + kElements - 1) / kElements * kElements);
  };
  const std::size_t begin = bound(part);
  return {begin * width, (bound(part + 1) - begin) * width};
}

}  // namespace ringmaster::collectives
