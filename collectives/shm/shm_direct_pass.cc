// SPDX-License-Identifier: Apache-2.0
//
// Arrays that other ranks read where they are, in the operations of shm_pass.cc.
#include <vector>

#include "collectives/bytes.h"
#include "collectives/kernels/kernel.h"
#include "collectives/shm/shm_all_reduce.h"
#include "collectives/shm/shm_shown.h"

namespace ringmaster::collectives {

namespace {

// Between two of these the abort word is looked at.
constexpr std::size_t kCopiedStretch = 256 * 1024;

/// What a rank says of its array with the first chunk.
struct Showing {
  Reach reach;
  std::uint64_t shown = 0;  // 1: all that it gives can be read where it is
};
static_assert(sizeof(Showing) <= Arrival::kPayloadBytes);

Showing read_showing(const Arrival& arrival) {
  Showing showing;
  copy_bytes(&showing, arrival.payload, sizeof showing);
  return showing;
}

/// Cut to cache lines, so that no element lies in two places.
Reach cut_to_lines(Reach reach, std::size_t bytes) {
  reach.begin = (reach.begin + kDirectLine - 1) / kDirectLine * kDirectLine;
  if (reach.end < bytes) reach.end = reach.end / kDirectLine * kDirectLine;
  return reach.begin < reach.end ? reach : Reach{};
}

}  // namespace

bool ShmCommunicator::Offer::show() const {
  const bool gives = only < 0 || only == ring.position();
  Showing own;
  own.shown = ring.arena_ != nullptr ? 1 : 0;  // it can read what others show
  if (own.shown == 1 && gives) {
    own.reach = cut_to_lines(ring.arena_->find(data, bytes), bytes);
    const std::size_t unseen = bytes - (own.reach.end - own.reach.begin);
    // With less than half of it seen buffers are as good.
    own.shown = unseen <= std::min(bytes / 2, Segment::kBufferBytes) ? 1 : 0;
  }
  if (own.shown == 1 && gives) {
    std::byte* ends = ring.input_of(ring.position(), ring.next_);
    copy_bytes(ends, data, own.reach.begin);
    copy_bytes(ends + own.reach.begin, at(data, own.reach.end), bytes - own.reach.end);
  }
  copy_bytes(ring.arrival(ring.position(), ring.next_).payload, &own, sizeof own);
  return own.shown == 1;
}

int ShmCommunicator::Offer::count_shown(Chunk chunk) const {
  if (only >= 0 && read_showing(ring.arrival(only, chunk)).shown == 0) return 0;
  int shown = 0;
  for (int peer = 0; peer < ring.size(); ++peer) {
    shown += read_showing(ring.arrival(peer, chunk)).shown == 1 ? 1 : 0;
  }
  return shown;
}

Result<Shown> ShmCommunicator::Offer::find(int peer, Chunk chunk) const {
  if (peer == ring.position()) return Shown{at(data, 0), nullptr, 0, bytes};
  const Reach reach = read_showing(ring.arrival(peer, chunk)).reach;
  Shown theirs{nullptr, ring.input_of(peer, chunk), reach.begin, reach.end};
  if (reach.begin == reach.end) return theirs;
  const auto arena = ring.arena_->reach(ring.number(peer), reach.base + reach.end);
  if (!arena) return ring.failure(arena.error().code, arena.error().message);
  theirs.memory = *arena + reach.base;
  return theirs;
}

Result<void> ShmCommunicator::Offer::copy(Chunk chunk, int peer, std::size_t begin, void* to,
                                          std::size_t count) const {
  const auto theirs = find(peer, chunk);
  if (!theirs) return theirs.error();
  for (std::size_t done = 0; done < count;) {
    if (ring.segment_.aborted(ring.membership_.generation)) return ring.aborted();
    const std::size_t from = begin + done;
    const std::size_t end = theirs->piece_end(from, from + std::min(kCopiedStretch, count - done));
    copy_bytes(at(to, done), theirs->find(from), end - from);
    done += end - from;
  }
  return {};
}

Result<void> ShmCommunicator::Offer::reduce(Chunk chunk, std::size_t begin, void* to,
                                            std::size_t count, Type type,
                                            Reduction reduction) const {
  std::vector<Shown> arrays;
  for (int peer = 0; peer < ring.size(); ++peer) {
    const auto theirs = find(peer, chunk);
    if (!theirs) return theirs.error();
    arrays.push_back(*theirs);
  }
  for (std::size_t done = 0; done < count;) {
    if (ring.segment_.aborted(ring.membership_.generation)) return ring.aborted();
    const std::size_t from = begin + done;
    std::size_t end = from + std::min(kDirectStretch, count - done);
    for (const Shown& array : arrays) end = array.piece_end(from, end);
    ring.inputs_.clear();
    for (const Shown& array : arrays) ring.inputs_.push_back(array.find(from));
    void* output = at(to, done);
    reduce_stretches(
        {ring.inputs_.data(), ring.size(), &output, 1, (end - from) / size_of(type), ring.size()},
        type, reduction);
    done += end - from;
  }
  return {};
}

Result<void> ShmCommunicator::Offer::close(Chunk chunk) const {
  ring.publish_reduced(chunk);
  if (only >= 0 && only != ring.position()) return {};
  return ring.wait_reduced(chunk);
}

}  // namespace ringmaster::collectives
