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
#include "collectives/shm/arena.h"

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

/// Room for the largest bucket that needed it so far: memory that all ranks of the host see, so
/// that it is reduced where it is, or ordinary memory where the arena has none. It is kept over
/// generations, for large memory of that kind takes long to make.
class FusionMemory {
 public:
  /// The arena outlives it; null: ordinary memory.
  explicit FusionMemory(Arena* arena) : arena_(arena) {}
  ~FusionMemory();
  FusionMemory(const FusionMemory&) = delete;
  FusionMemory& operator=(const FusionMemory&) = delete;

  /// At least so many bytes, valid until the next call. What was in it is lost.
  std::byte* room(std::size_t bytes);

 private:
  void give_back();

  Arena* arena_;
  void* shared_ = nullptr;
  std::size_t shared_bytes_ = 0;
  std::vector<std::byte> plain_;
};

class Fusion {
 public:
  /// The memory is there whenever reduce() is called.
  explicit Fusion(FusionMemory& memory) : memory_(memory) {}
  /// All pieces have the type. On an error outputs are undefined.
  Result<FusionTimes> reduce(Communicator& engine, const std::vector<Piece>& pieces, Type type,
                             Reduction reduction);
  /// Bytes copied into the buffer so far: 0 as long as all tensors were neighbours.
  std::uint64_t copied() const { return copied_; }

 private:
  FusionMemory& memory_;
  std::uint64_t copied_ = 0;
};

}  // namespace ringmaster::collectives
