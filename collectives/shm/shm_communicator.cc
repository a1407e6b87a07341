// SPDX-License-Identifier: Apache-2.0
//
// How ranks come to chunks and wait for each other; the operations are beside this file.
#include "collectives/shm/shm_communicator.h"

#include <algorithm>

#include "collectives/call_text.h"

namespace ringmaster::collectives {

namespace {

std::uint32_t short_form(const Call& call) {
  std::uint64_t mixed = call.count * 0x9e3779b97f4a7c15ULL;
  for (const std::uint32_t part : {call.kind, call.type, call.reduction, call.root}) {
    mixed = (mixed ^ part) * 0x9e3779b97f4a7c15ULL;
    mixed ^= mixed >> 29;
  }
  return static_cast<std::uint32_t>(mixed >> 32);
}

std::uint32_t count_of(std::uint64_t chunk) {
  return static_cast<std::uint32_t>(chunk + 1);
}

}  // namespace

ShmCommunicator::ShmCommunicator(const Segment& segment, ShmMembership membership, Arena* arena)
    : segment_(segment),
      membership_(std::move(membership)),
      arena_(arena),
      waiter_(segment.slot(membership_.numbers.at(static_cast<std::size_t>(membership_.position))),
              static_cast<int>(membership_.numbers.size()), membership_.cpus) {}

Slot& ShmCommunicator::slot(int position) const {
  return segment_.slot(number(position));
}

Arrival& ShmCommunicator::arrival(int position, Chunk chunk) const {
  return slot(position).arrivals[chunk % Slot::kTurns];
}

std::byte* ShmCommunicator::buffer(int position, Segment::Buffer which, Chunk chunk) const {
  return segment_.buffer(number(position), which, chunk % Slot::kTurns);
}

std::byte* ShmCommunicator::input_of(int position, Chunk chunk) const {
  return buffer(position, Segment::Buffer::input, chunk);
}

Error ShmCommunicator::failure(Errc code, std::string message) {
  failed_ = Error{code, std::move(message)};
  return *failed_;
}

Result<void> ShmCommunicator::begin(const Call& call) {
  if (failed_) return *failed_;
  call_ = call;
  if (segment_.aborted(membership_.generation)) return aborted();
  compare_ = next_;
  compared_ = false;
  auto claimed = claim(next_);
  if (!claimed) return claimed;
  slot(position()).calls[next_ % Slot::kTurns] = call;
  return {};
}

void ShmCommunicator::arrive(Chunk chunk) {
  Arrival& own = arrival(position(), chunk);
  own.call = short_form(call_);
  own.count.store(count_of(chunk), std::memory_order_seq_cst);
  next_ = chunk + 1;
  // Who waits for arrivals waits for all: only the last one rings. Of two that come at the same
  // time at least one sees the other.
  if (anyone_sleeps() && all_arrived(chunk)) ring_sleepers();
}

void ShmCommunicator::publish_reduced(Chunk chunk) {
  slot(position()).reduced.store(count_of(chunk), std::memory_order_seq_cst);
  ring_sleepers();
}

bool ShmCommunicator::anyone_sleeps() const {
  for (int peer = 0; peer < size(); ++peer) {
    if (peer != position() && slot(peer).sleeping.load(std::memory_order_seq_cst) != 0) return true;
  }
  return false;
}

bool ShmCommunicator::all_arrived(Chunk chunk) const {
  for (int peer = 0; peer < size(); ++peer) {
    if (!reached(arrival(peer, chunk).count, count_of(chunk))) return false;
  }
  return true;
}

void ShmCommunicator::ring_sleepers() {
  for (int peer = 0; peer < size(); ++peer) {
    if (peer != position() && slot(peer).sleeping.load(std::memory_order_seq_cst) != 0) {
      ring_bell(slot(peer));
    }
  }
}

Result<void> ShmCommunicator::wait_for(int peer, const std::atomic<std::uint32_t>& word,
                                       std::uint32_t target) {
  return outcome(waiter_.wait(segment_, membership_.generation, word, target, timeout_),
                 number(peer));
}

Result<void> ShmCommunicator::outcome(Waiter::End end, int awaited_number) {
  switch (end) {
    case Waiter::End::reached:
      return {};
    case Waiter::End::aborted:
      return aborted();
    case Waiter::End::timed_out:
      break;
  }
  return failure(Errc::timed_out, late_text(call_, awaited_number, to_seconds(timeout_)));
}

Error ShmCommunicator::aborted() const {
  return {Errc::generation_changed, call_text(call_) + ": the generation has changed"};
}

Result<void> ShmCommunicator::wait_arrived(Chunk chunk) {
  if (chunk < all_here_) return {};
  for (int peer = 0; peer < size(); ++peer) {
    if (peer == position()) continue;
    auto here = wait_for(peer, arrival(peer, chunk).count, count_of(chunk));
    if (!here) return here;
  }
  all_here_ = chunk + 1;
  if (compared_ || chunk < compare_) return {};
  compared_ = true;
  return compare_calls(chunk);
}

Result<void> ShmCommunicator::wait_reduced(Chunk chunk) {
  for (int peer = 0; peer < size(); ++peer) {
    if (peer == position()) continue;
    auto there = wait_for(peer, slot(peer).reduced, count_of(chunk));
    if (!there) return there;
  }
  return {};
}

Result<void> ShmCommunicator::compare_calls(Chunk chunk) {
  const std::uint32_t own = short_form(call_);
  bool same = true;
  for (int peer = 0; peer < size(); ++peer) {
    same = same && (peer == position() || arrival(peer, chunk).call == own);
  }
  if (same) return {};
  const Call first = slot(0).calls[chunk % Slot::kTurns];
  for (int peer = 1; peer < size(); ++peer) {
    const Call other = slot(peer).calls[chunk % Slot::kTurns];
    if (first == other) continue;
    return failure(Errc::mismatch, mismatch_text(first, number(0), other, number(peer)));
  }
  return {};  // equal calls have equal short forms: not reached
}

Result<void> ShmCommunicator::barrier() {
  auto step = begin({.kind = kBarrier});
  if (!step) return step;
  arrive(next_);
  return wait_arrived(compare_);
}

}  // namespace ringmaster::collectives
