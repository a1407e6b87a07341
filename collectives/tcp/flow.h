// SPDX-License-Identifier: Apache-2.0
//
// What one operation sends to the next rank of the ring and receives from the previous one.
//
// All operations have one shape. A rank sends some chunks of its own; every chunk that it receives
// it may change, and then it sends it on, in the order of arrival. So the n-th chunk that goes out
// after the own ones is the n-th that came in, sending and receiving go on at once, and an
// operation is described by two lists of stretches and three functions.
//
// Beside them travel tokens (frame.h): each rank sends its own, and passes on those of the others
// but the last. Who has size-1 of them knows that everybody has called. All-reduce and all-gather
// need none: a chunk that went through all hands says the same.
//
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "collectives/tcp/frame.h"

namespace ringmaster::collectives {

/// Bytes [begin, begin + bytes) of an array.
struct Stretch {
  std::size_t begin = 0;
  std::size_t bytes = 0;
  friend bool operator==(const Stretch&, const Stretch&) = default;
};

struct Chunk {
  std::size_t step = 0;   // which stretch of the list
  std::size_t index = 0;  // among all chunks of the list
  std::size_t begin = 0;
  std::size_t bytes = 0;
};

/// Goes through a list of stretches in chunks of at most kChunkBytes. Empty ones have none.
class Walk {
 public:
  Walk() = default;
  explicit Walk(std::vector<Stretch> steps);

  bool done() const { return step_ == steps_.size(); }
  /// Not when done().
  Chunk chunk() const;
  /// Chunks before this one.
  std::size_t index() const { return index_; }
  void advance();

 private:
  void skip_empty();

  std::vector<Stretch> steps_;
  std::size_t step_ = 0;
  std::size_t inside_ = 0;
  std::size_t index_ = 0;
};

std::size_t chunks_in(std::size_t bytes);

/// The slice of an array of `count` elements that belongs to a part; slices begin at multiples of
/// 64 elements, so that no cache line or vector is cut.
Stretch slice_of(std::size_t count, std::size_t width, int part, int parts);

/// The largest all-reduce that goes as an all-gather: it saves n-1 hops and costs B(n-1)(n-2)/n
/// bytes more, and a hop is worth about 16 KiB. For two ranks it costs only the second sum, so one
/// chunk is the limit.
std::size_t small_bytes_max(int ranks);

struct Flow {
  // Half of what fits, so that a window may be added to a number of chunks.
  static constexpr std::size_t kUnbounded = std::numeric_limits<std::size_t>::max() / 2;

  Walk out;
  Walk in;
  std::size_t own = 0;  // so many chunks of `out` wait for nothing that comes in
  int tokens = 0;       // to be sent and to be received
  /// How many chunks may have come in that are not out: what `target` can hold.
  std::size_t window = kUnbounded;
  std::function<const std::byte*(const Chunk&)> source;  // where a chunk is sent from
  std::function<std::byte*(const Chunk&)> target;        // where it is received; null: nowhere
  std::function<void(const Chunk&)> received;            // may be empty
};

}  // namespace ringmaster::collectives
