// SPDX-License-Identifier: Apache-2.0
//
// Reduces the tensors of a bucket as one array: where they lie when they are neighbours, else in a
// buffer into which they are copied and out of which they are copied back.
//
// Thread rules: one thread.
#pragma once

#include <vector>

#include "base/time.h"
#include "collectives/communicator.h"

namespace ringmaster::collectives {

/// A tensor's memory on this rank.
struct Piece {
  const std::byte* input;
  std::byte* output;
  std::size_t bytes;
};

/// When what was done, for the timeline.
struct FusionTimes {
  Time begin, reduced_from, reduced_to, end;
  bool copied = false;  // into the buffer before, and out of it after
};

class Fusion {
 public:
  /// All pieces have the type. On an error outputs are undefined.
  Result<FusionTimes> reduce(Communicator& engine, const std::vector<Piece>& pieces, Type type,
                             Reduction reduction);
  /// Bytes copied into the buffer so far: 0 as long as all tensors were neighbours.
  std::uint64_t copied() const { return copied_; }

 private:
  std::vector<std::byte> buffer_;  // grows to the largest bucket that needed it
  std::uint64_t copied_ = 0;
};

}  // namespace ringmaster::collectives
