// SPDX-License-Identifier: Apache-2.0
//
// The state of a rank: the memory that must survive, how many steps are in it, and how it becomes
// equal on all ranks of a new generation.
//
// The rank with the most finished steps is right (the lowest position among equals): every rank
// behind it receives its memory. What arrives is staged and copied in only when it is complete: a
// source that dies half-way must not have ruined the older state of the survivors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "collectives/communicator.h"

namespace ringmaster::worker {

inline constexpr std::int64_t kNoState = -1;

class State {
 public:
  /// One stretch of memory; the same order and sizes on every rank.
  void add(void* data, std::size_t bytes);

  /// Steps finished in the state; kNoState before the first sync.
  std::int64_t steps() const { return steps_; }
  void step_finished() { ++steps_; }

  /// Makes the state equal on all ranks. Returns the position whose state it is. On
  /// generation_changed the state is what it was before.
  Result<int> sync(collectives::Communicator& communicator);

  struct Part {
    void* data;
    std::size_t bytes;
  };
  const std::vector<Part>& parts() const { return parts_; }
  /// Takes a checkpoint's state over, all parts one after the other. Errc::mismatch when it was
  /// saved with other parts.
  Result<void> restore(std::int64_t steps, const std::vector<std::uint64_t>& blocks,
                       const std::byte* data);

 private:
  Result<void> receive(collectives::Communicator& communicator, int source, bool behind);

  std::vector<Part> parts_;
  std::size_t bytes_ = 0;
  std::uint64_t layout_ = 0;  // grows with each part: tells two layouts apart
  std::int64_t steps_ = kNoState;
};

}  // namespace ringmaster::worker
