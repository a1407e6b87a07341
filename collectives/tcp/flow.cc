// SPDX-License-Identifier: Apache-2.0
#include "collectives/tcp/flow.h"

#include <algorithm>

#include "base/check.h"

namespace ringmaster::collectives {

Walk::Walk(std::vector<Stretch> steps) : steps_(std::move(steps)) {
  skip_empty();
}

Chunk Walk::chunk() const {
  CHECK(!done());
  const Stretch& stretch = steps_[step_];
  return {step_, index_, stretch.begin + inside_, std::min(kChunkBytes, stretch.bytes - inside_)};
}

void Walk::advance() {
  inside_ += chunk().bytes;
  ++index_;
  if (inside_ < steps_[step_].bytes) return;
  ++step_;
  inside_ = 0;
  skip_empty();
}

void Walk::skip_empty() {
  while (step_ < steps_.size() && steps_[step_].bytes == 0) ++step_;
}

std::size_t chunks_in(std::size_t bytes) {
  return (bytes + kChunkBytes - 1) / kChunkBytes;
}

std::size_t small_bytes_max(int ranks) {
  constexpr std::size_t kHopBytes = 16 * 1024;
  const auto n = static_cast<std::size_t>(ranks);
  return n <= 2 ? kChunkBytes : std::min(kChunkBytes, kHopBytes * n / (n - 2));
}

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
