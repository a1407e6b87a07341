// SPDX-License-Identifier: Apache-2.0
//
// An array that its owner shows to the other ranks of the host, so that they read it where it is.
// Private to this engine.
//
// Of a buffer that was adopted only the whole pages are seen. What lies before and behind them is
// in the owner's input buffer of that chunk, one after the other.
#pragma once

#include <algorithm>
#include <cstdint>

#include "collectives/bytes.h"
#include "collectives/shm/shm_communicator.h"

namespace ringmaster::collectives {

/// As a reader finds it. Bytes are counted from the array's beginning.
struct Shown {
  const std::byte* memory = nullptr;  // where byte 0 would be; seen are those at [begin, end)
  const std::byte* ends = nullptr;    // the others
  std::size_t begin = 0, end = 0;

  const std::byte* find(std::size_t byte) const {
    if (byte < begin) return ends + byte;
    return byte < end ? memory + byte : ends + begin + (byte - end);
  }
  /// Up to where what begins at the byte lies in one piece, but no further than `most`.
  std::size_t piece_end(std::size_t byte, std::size_t most) const {
    if (byte < begin) return std::min(begin, most);
    return byte < end ? std::min(end, most) : most;
  }
};

/// What a rank hands in to be read. All ranks ask, or none does.
struct ShmCommunicator::Offer {
  ShmCommunicator& ring;
  const void* data = nullptr;
  std::size_t bytes = 0;
  bool asked = false;  // whether this is large enough to be shown
  int only = -1;       // the one position that gives; -1: all do

  /// Says with the chunk that comes next where the array is; false: others cannot read it there.
  bool show() const;
  /// The positions that can do without buffers; none of them unless somebody gives so.
  int count_shown(Chunk chunk) const;
  Result<Shown> find(int peer, Chunk chunk) const;
  /// From byte `begin` of the peer's array.
  Result<void> copy(Chunk chunk, int peer, std::size_t begin, void* to, std::size_t bytes) const;
  /// The same bytes of all arrays.
  Result<void> reduce(Chunk chunk, std::size_t begin, void* to, std::size_t bytes, Type type,
                      Reduction reduction) const;
  /// Until nobody reads the own array any more.
  Result<void> close(Chunk chunk) const;
};

}  // namespace ringmaster::collectives
