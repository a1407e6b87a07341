// SPDX-License-Identifier: Apache-2.0
//
// The all-reduce between ranks of one host: within a cache line, in one hop, or piped.
#include <algorithm>
#include <array>

#include "collectives/bytes.h"
#include "collectives/call_text.h"
#include "collectives/kernels/kernel.h"
#include "collectives/reduce.h"
#include "collectives/shm/shm_all_reduce.h"

namespace ringmaster::collectives {

namespace {

/// Up to here one hop beats dividing the work. A rank reads the whole array of each other rank: the
/// more there are, the sooner that costs more than a hop.
std::size_t small_bytes_max(int ranks) {
  return ranks <= 2 ? 16384 : 4096;
}

/// From here on memory that all see is read where it is: below, its second hop costs more than the
/// copy into a buffer.
constexpr std::size_t kDirectLeast = 2048;

/// Pieces of an operation, so that giving, reducing and collecting overlap also where one buffer
/// would do. Larger ones fall out of a core's cache; but ranks that outnumber the processors pay
/// each hop with a change of process, and that costs more.
std::size_t chunk_bytes(std::size_t bytes, bool crowded) {
  constexpr std::size_t kLeast = 16 * 1024;
  const std::size_t pieces = crowded ? 2 : 4;
  const std::size_t most = crowded ? Segment::kBufferBytes : 64 * 1024;
  return std::clamp(bytes / pieces / 64 * 64, kLeast, most);
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
  AllReduce all{.input = at(input, 0),
                .output = at(output, 0),
                .count = count,
                .width = size_of(type),
                .type = type,
                .reduction = reduction};
  if (all.bytes() <= Arrival::kPayloadBytes) return reduce_tiny(all);
  if (all.bytes() < kDirectLeast) return reduce_ordinary(all, false);
  const Places own = places_of(all);
  return own.shared() ? reduce_shared(all, own) : reduce_ordinary(all, true);
}

Result<void> ShmCommunicator::reduce_ordinary(const AllReduce& all, bool asked) {
  if (all.bytes() <= small_bytes_max(size())) return reduce_small(all, asked);
  AllReduce piped = all;
  piped.first = next_;
  piped.per_chunk = chunk_bytes(all.bytes(), size() > membership_.cpus) / all.width;
  return reduce_piped(piped, asked);
}

Result<void> ShmCommunicator::reduce_tiny(const AllReduce& all) {
  const Chunk chunk = next_;
  copy_bytes(arrival(position(), chunk).payload, all.input, all.bytes());
  arrive(chunk);
  auto step = wait_arrived(chunk);
  if (!step || all.count == 0) return step;
  inputs_.clear();
  for (int peer = 0; peer < size(); ++peer) inputs_.push_back(arrival(peer, chunk).payload);
  reduce(inputs_, all.output, all.count, all.type, all.reduction);
  return {};
}

Result<void> ShmCommunicator::reduce_small(const AllReduce& all, bool asked) {
  const Chunk chunk = next_;
  if (auto step = claim(chunk); !step) return step;
  if (asked) say_places({});
  copy_bytes(input_of(position(), chunk), all.input, all.bytes());
  arrive(chunk);
  auto step = wait_arrived(chunk);
  if (!step) return step;
  if (asked && anyone_shares(chunk)) return reduce_small(all, false);
  inputs_.clear();
  for (int peer = 0; peer < size(); ++peer) inputs_.push_back(input_of(peer, chunk));
  reduce(inputs_, all.output, all.count, all.type, all.reduction);
  return {};
}

void ShmCommunicator::give(const AllReduce& all, std::size_t n) {
  const Slice own = slice_of(all.elements(n), position(), size());
  const std::byte* from = all.input + all.offset(n);
  std::byte* to = input_of(position(), all.first + n);
  // The own slice is read where it is.
  const std::size_t behind = (own.begin + own.count) * all.width;
  copy_bytes(to, from, own.begin * all.width);
  copy_bytes(to + behind, from + behind, all.elements(n) * all.width - behind);
}

void ShmCommunicator::reduce_slice(const AllReduce& all, std::size_t n) {
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

void ShmCommunicator::collect(const AllReduce& all, std::size_t n) {
  for (int turn = 1; turn < size(); ++turn) {
    const int peer = (position() + turn) % size();  // not all from the same one at once
    const Slice theirs = slice_of(all.elements(n), peer, size());
    const std::size_t begin = theirs.begin * all.width;
    copy_bytes(all.output + all.offset(n) + begin,
               buffer(peer, Segment::Buffer::result, all.first + n) + begin,
               theirs.count * all.width);
  }
}

Result<void> ShmCommunicator::reduce_piped(const AllReduce& all, bool asked) {
  const std::size_t chunks = all.chunks();
  if (asked) say_places({});
  for (std::size_t n = 0; n < chunks + 2; ++n) {
    if (n == 1 && asked) {
      auto step = wait_arrived(all.first);
      if (!step) return step;
      if (anyone_shares(all.first)) return reduce_ordinary(all, false);
    }
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
