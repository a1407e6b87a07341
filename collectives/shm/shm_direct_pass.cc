// SPDX-License-Identifier: Apache-2.0
//
// Arrays that other ranks read where they are, in a reduce-scatter (shm_pass.cc).
#include <vector>

#include "collectives/bytes.h"
#include "collectives/kernels/kernel.h"
#include "collectives/shm/shm_all_reduce.h"
#include "collectives/shm/shm_shown.h"

namespace ringmaster::collectives {

bool ShmCommunicator::Offer::show() const {
  Places own;
  bool unbuffered = ring.arena_ != nullptr;  // it can read what others show
  if (unbuffered) {
    own.input = cut_to_lines(ring.arena_->find(data, bytes), bytes);
    const std::size_t unseen = bytes - (own.input.end - own.input.begin);
    // With less than half of it seen buffers are as good.
    unbuffered = unseen <= std::min(bytes / 2, Segment::kBufferBytes);
  }
  if (unbuffered) {
    std::byte* ends = ring.input_of(ring.position(), ring.next_);
    copy_bytes(ends, data, own.input.begin);
    copy_bytes(ends + own.input.begin, at(data, own.input.end), bytes - own.input.end);
  }
  own.unbuffered = unbuffered ? 1 : 0;
  ring.say_places(own);
  return unbuffered;
}

Result<int> ShmCommunicator::Offer::ask(const std::function<void(std::byte*)>& give) const {
  const Chunk chunk = ring.next_;
  if (!show()) give(ring.input_of(ring.position(), chunk));
  ring.arrive(chunk);
  if (auto step = ring.wait_arrived(chunk); !step) return step.error();
  int shown = 0;
  for (int peer = 0; peer < ring.size(); ++peer) {
    shown += ring.places_at(peer, chunk).unbuffered == 1 ? 1 : 0;
  }
  return shown;
}

Result<Shown> ShmCommunicator::Offer::find(int peer, Chunk chunk) const {
  if (peer == ring.position()) return Shown{at(data, 0), nullptr, 0, bytes};
  const Reach reach = ring.places_at(peer, chunk).input;
  Shown theirs{nullptr, ring.input_of(peer, chunk), reach.begin, reach.end};
  if (reach.begin == reach.end) return theirs;
  const auto arena = ring.arena_->reach(ring.number(peer), reach.base + reach.end);
  if (!arena) return ring.failure(arena.error().code, arena.error().message);
  theirs.memory = *arena + reach.base;
  return theirs;
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
  ring.publish_reduced(chunk);
  return ring.wait_reduced(chunk);
}

}  // namespace ringmaster::collectives
