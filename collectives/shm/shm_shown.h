// SPDX-License-Identifier: Apache-2.0
//
// Arrays that their owner shows to the other ranks of the host, so that they read and write them
// where they are. Private to this engine.
//
// Of a buffer that was adopted only the whole pages are seen. What lies before and behind them is
// in the owner's input buffer of that chunk, one after the other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

#include "collectives/bytes.h"
#include "collectives/shm/shm_communicator.h"

namespace ringmaster::collectives {

/// What is seen is cut to cache lines, a multiple of every type's width: no element lies in two
/// places.
inline constexpr std::uint64_t kDirectLine = 64;

/// The same of `bytes` bytes, of which those at [begin, end) are seen; less than a line: none.
inline Reach cut_to_lines(Reach reach, std::size_t bytes) {
  reach.begin = (reach.begin + kDirectLine - 1) / kDirectLine * kDirectLine;
  if (reach.end < bytes) reach.end = reach.end / kDirectLine * kDirectLine;
  return reach.begin < reach.end ? reach : Reach{};
}

/// Where a rank's arrays are in its arena: said with the first chunk of an operation.
struct ShmCommunicator::Places {
  Reach input, output;  // what others can reach of them
  std::uint64_t unbuffered =
      0;  // 1: all that it gives can be had without buffers, and it can do so
  bool shared() const { return input.begin < input.end && output.begin < output.end; }
};

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

  /// Says with the chunk that comes next where the array is, or puts its first chunk into this
  /// rank's input buffer by `give`. How many ranks have shown theirs, when all have arrived.
  Result<int> ask(const std::function<void(std::byte* buffer)>& give) const;
  /// When all have: the reduction of the bytes from `begin` on of all arrays. Returns when nobody
  /// reads the own array any more.
  Result<void> reduce(Chunk chunk, std::size_t begin, void* to, std::size_t count, Type type,
                      Reduction reduction) const;

 private:
  bool show() const;
  Result<Shown> find(int peer, Chunk chunk) const;
};

}  // namespace ringmaster::collectives
