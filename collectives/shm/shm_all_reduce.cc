// SPDX-License-Identifier: Apache-2.0
//
// The all-reduce between ranks of one host: within a cache line, in one hop, or piped.
#include <algorithm>
#include <array>

#include "collectives/bytes.h"
#include "collectives/call_text.h"
#include "collectives/kernels/kernel.h"
#include "collectives/reduce.h"
#include "collectives/shm/shm_communicator.h"

namespace ringmaster::collectives {

namespace {

/// Up to here one hop beats dividing the work. A rank reads the whole array of each other rank: the
/// more there are, the sooner that costs more than a hop.
std::size_t small_bytes_max(int ranks) {
  return ranks <= 2 ? 16384 : 4096;
}

/// Pieces of an operation, so that giving, reducing and collecting overlap also where one buffer
/// would do. Larger ones fall out of a core's cache; but ranks that outnumber the processors pay
/// each hop with a change of process, and that costs more.
std::size_t chunk_bytes(std::size_t bytes, bool crowded) {
  constexpr std::size_t kLeast = 16 * 1024, kMost = 64 * 1024, kPieces = 4;
  return std::clamp(bytes / kPieces / 64 * 64, kLeast, crowded ? Segment::kBufferBytes : kMost);
}

/// Elements [begin, begin + count).
struct Slice {
  std::size_t begin, count;
};

/// The slice of a chunk of `count` elements that the position reduces. Slices begin at a cache
/// line, whatever the type.
Slice slice_of(std::size_t count, int position, int ranks) {
  constexpr std::size_t kLine = 64;
  const auto parts = static_cast<std::size_t>(ranks);
  const auto bound = [&](std::size_t part) {
    return std::min(count, (count * part / parts + kLine - 1) / kLine * kLine);
  };
  const auto part = static_cast<std::size_t>(position);
  return {bound(part), bound(part + 1) - bound(part)};
}

}  // namespace

Result<void> ShmCommunicator::all_reduce(const void* input, void* output, std::size_t count,
                                         Type type, Reduction reduction) {
  if (const std::string problem = reduction_problem(type, reduction); !problem.empty()) {
    return Error{Errc::invalid, "all_reduce: " + problem};
  }
  auto step = begin({kAllReduce, static_cast<std::uint32_t>(type),
                     static_cast<std::uint32_t>(reduction), 0, count});
  if (!step) return step;
  if (size() == 1) {
    copy_bytes(output, input, count * size_of(type));
    return {};
  }
  if (count * size_of(type) > small_bytes_max(size())) {
    return reduce_piped(input, output, count, type, reduction);
  }
  return reduce_small(input, output, count, type, reduction);
}

Result<void> ShmCommunicator::reduce_small(const void* input, void* output, std::size_t count,
                                           Type type, Reduction reduction) {
  const Chunk chunk = next_;
  const std::size_t bytes = count * size_of(type);
  const bool tiny = bytes <= Arrival::kPayloadBytes;
  const auto given = [&](int peer) {
    return tiny ? arrival(peer, chunk).payload : input_of(peer, chunk);
  };
  copy_bytes(given(position()), input, bytes);
  arrive(chunk);
  auto step = wait_arrived(chunk);
  if (!step || count == 0) return step;
  inputs_.resize(static_cast<std::size_t>(size()));
  for (int peer = 0; peer < size(); ++peer) inputs_[static_cast<std::size_t>(peer)] = given(peer);
  reduce(inputs_, output, count, type, reduction);
  return {};
}

/// An all-reduce under way. The n-th of its chunks is `first` + n.
struct ShmCommunicator::Piped {
  const std::byte* input;
  std::byte* output;
  std::size_t count, per_chunk, width;
  Type type;
  Reduction reduction;
  Chunk first;

  std::size_t chunks() const { return (count + per_chunk - 1) / per_chunk; }
  std::size_t elements(std::size_t n) const { return std::min(per_chunk, count - n * per_chunk); }
  std::size_t offset(std::size_t n) const { return n * per_chunk * width; }
};

void ShmCommunicator::give(const Piped& all, std::size_t n) {
  const Slice own = slice_of(all.elements(n), position(), size());
  const std::byte* from = all.input + all.offset(n);
  std::byte* to = input_of(position(), all.first + n);
  // The own slice is read where it is.
  const std::size_t behind = (own.begin + own.count) * all.width;
  copy_bytes(to, from, own.begin * all.width);
  copy_bytes(to + behind, from + behind, all.elements(n) * all.width - behind);
}

void ShmCommunicator::reduce_slice(const Piped& all, std::size_t n) {
  const Slice own = slice_of(all.elements(n), position(), size());
  const std::size_t begin = own.begin * all.width;
  inputs_.resize(static_cast<std::size_t>(size()));
  for (int peer = 0; peer < size(); ++peer) {
    inputs_[static_cast<std::size_t>(peer)] = peer == position()
                                                  ? all.input + all.offset(n) + begin
                                                  : input_of(peer, all.first + n) + begin;
  }
  const std::array<void*, 2> outputs = {
      buffer(position(), Segment::Buffer::result, all.first + n) + begin,
      all.output + all.offset(n) + begin};
  reduce_stretches({inputs_.data(), size(), outputs.data(), 2, own.count, size()}, all.type,
                   all.reduction);
}

void ShmCommunicator::collect(const Piped& all, std::size_t n) {
  for (int turn = 1; turn < size(); ++turn) {
    const int peer = (position() + turn) % size();  // not all from the same one at once
    const Slice theirs = slice_of(all.elements(n), peer, size());
    const std::size_t begin = theirs.begin * all.width;
    copy_bytes(all.output + all.offset(n) + begin,
               buffer(peer, Segment::Buffer::result, all.first + n) + begin,
               theirs.count * all.width);
  }
}

Result<void> ShmCommunicator::reduce_piped(const void* input, void* output, std::size_t count,
                                           Type type, Reduction reduction) {
  const std::size_t width = size_of(type);
  const Piped all = {at(input, 0), at(output, 0),
                     count,        chunk_bytes(count * width, size() > membership_.cpus) / width,
                     width,        type,
                     reduction,    next_};
  const std::size_t chunks = all.chunks();
  for (std::size_t n = 0; n < chunks + 2; ++n) {
    if (n < chunks) {
      auto step = claim(all.first + n);
      if (!step) return step;
      give(all, n);
      arrive(all.first + n);
    }
    if (n >= 1 && n - 1 < chunks) {
      auto step = wait_arrived(all.first + n - 1);
      if (!step) return step;
      reduce_slice(all, n - 1);
      publish_reduced(all.first + n - 1);
    }
    if (n >= 2) {
      auto step = wait_reduced(all.first + n - 2);
      if (!step) return step;
      collect(all, n - 2);
    }
  }
  return {};
}

}  // namespace ringmaster::collectives
