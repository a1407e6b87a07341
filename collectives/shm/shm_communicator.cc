// SPDX-License-Identifier: Apache-2.0
#include "collectives/shm/shm_communicator.h"

#include <algorithm>
#include <cstring>

#include "collectives/call_text.h"
#include "collectives/reduce.h"

namespace ringmaster::collectives {

namespace {

// Up to here one hop beats dividing the work: the whole array is a few cache lines a rank.
constexpr std::size_t kSmallBytes = 4096;
// Slices begin at a cache line, whatever the type.
constexpr std::size_t kSliceElements = 64;

const std::byte* at(const void* data, std::size_t offset) {
  return static_cast<const std::byte*>(data) + offset;
}
std::byte* at(void* data, std::size_t offset) {
  return static_cast<std::byte*>(data) + offset;
}

void copy_bytes(void* to, const void* from, std::size_t bytes) {
  if (bytes > 0) std::memcpy(to, from, bytes);
}

}  // namespace

struct ShmCommunicator::Stretch {
  std::size_t begin;
  std::size_t count;
};

ShmCommunicator::ShmCommunicator(const Segment& segment, ShmMembership membership)
    : segment_(segment),
      membership_(std::move(membership)),
      waiter_(segment.slot(membership_.numbers.at(static_cast<std::size_t>(membership_.position))),
              static_cast<int>(membership_.numbers.size()), membership_.cpus) {}

Slot& ShmCommunicator::slot(int position) const {
  return segment_.slot(membership_.numbers[static_cast<std::size_t>(position)]);
}

std::byte* ShmCommunicator::peer_buffer(int position) const {
  return segment_.buffer(membership_.numbers[static_cast<std::size_t>(position)],
                         static_cast<int>(round_ % 2));
}

Error ShmCommunicator::failure(Errc code, std::string message) {
  failed_ = Error{code, std::move(message)};
  return *failed_;
}

Result<void> ShmCommunicator::begin(const Call& call) {
  if (failed_) return *failed_;
  if (segment_.aborted(membership_.generation)) {
    return Error{Errc::generation_changed, call_text(call) + ": the generation has changed"};
  }
  call_ = call;
  compare_next_ = true;
  ++round_;
  slot(position()).calls[round_ % 2] = call;
  return {};
}

Result<void> ShmCommunicator::exchange() {
  slot(position()).ready.store(round_, std::memory_order_seq_cst);
  for (int peer = 0; peer < size(); ++peer) {
    if (peer != position() && slot(peer).sleeping.load(std::memory_order_seq_cst) != 0) {
      ring_bell(slot(peer));
    }
  }
  for (int peer = 0; peer < size(); ++peer) {
    if (peer == position()) continue;
    const auto end = waiter_.wait(segment_, membership_.generation, slot(peer), round_, timeout_);
    if (end == Waiter::End::aborted) {
      return Error{Errc::generation_changed, call_text(call_) + ": the generation has changed"};
    }
    if (end == Waiter::End::timed_out) {
      return failure(Errc::timed_out,
                     late_text(call_, membership_.numbers[static_cast<std::size_t>(peer)],
                               to_seconds(timeout_)));
    }
  }
  if (!std::exchange(compare_next_, false)) return {};
  return compare_calls();
}

Result<void> ShmCommunicator::compare_calls() {
  const Call first = slot(0).calls[round_ % 2];
  for (int peer = 1; peer < size(); ++peer) {
    const Call other = slot(peer).calls[round_ % 2];
    if (first == other) continue;
    return failure(Errc::mismatch,
                   mismatch_text(first, membership_.numbers[0], other,
                                 membership_.numbers[static_cast<std::size_t>(peer)]));
  }
  return {};
}

Result<void> ShmCommunicator::barrier() {
  auto begun = begin({.kind = kBarrier});
  return begun ? exchange() : begun;
}

Result<void> ShmCommunicator::broadcast(void* data, std::size_t count, Type type, int root) {
  CHECK(root >= 0 && root < size());
  CHECK(data != nullptr || position() != root || count == 0);
  auto step = begin(
      {kBroadcast, static_cast<std::uint32_t>(type), 0, static_cast<std::uint32_t>(root), count});
  if (!step) return step;
  const std::size_t bytes = count * size_of(type);
  std::size_t done = 0;
  do {
    const std::size_t piece = std::min(bytes - done, Segment::kBufferBytes);
    if (position() == root) copy_bytes(own_buffer(), at(data, done), piece);
    step = exchange();
    if (!step) return step;
    if (position() != root && data != nullptr) copy_bytes(at(data, done), peer_buffer(root), piece);
    done += piece;
    if (done < bytes) ++round_;
  } while (done < bytes);
  return {};
}

Result<void> ShmCommunicator::all_gather(const void* input, void* output, std::size_t count,
                                         Type type) {
  auto step = begin({kAllGather, static_cast<std::uint32_t>(type), 0, 0, count});
  if (!step) return step;
  const std::size_t bytes = count * size_of(type);
  std::size_t done = 0;
  do {
    const std::size_t piece = std::min(bytes - done, Segment::kBufferBytes);
    copy_bytes(own_buffer(), at(input, done), piece);
    step = exchange();
    if (!step) return step;
    for (int peer = 0; peer < size(); ++peer) {
      copy_bytes(at(output, static_cast<std::size_t>(peer) * bytes + done), peer_buffer(peer),
                 piece);
    }
    done += piece;
    if (done < bytes) ++round_;
  } while (done < bytes);
  return {};
}

Result<void> ShmCommunicator::all_reduce(const void* input, void* output, std::size_t count,
                                         Type type, Reduction reduction) {
  if (const std::string problem = reduction_problem(type, reduction); !problem.empty()) {
    return Error{Errc::invalid, "all_reduce: " + problem};
  }
  auto step = begin({kAllReduce, static_cast<std::uint32_t>(type),
                     static_cast<std::uint32_t>(reduction), 0, count});
  if (!step) return step;
  if (count * size_of(type) <= kSmallBytes) {
    return reduce_small(input, output, count, type, reduction);
  }
  const std::size_t piece_max = Segment::kBufferBytes / size_of(type);
  for (std::size_t done = 0; done < count;) {
    const std::size_t piece = std::min(count - done, piece_max);
    const std::size_t offset = done * size_of(type);
    step = reduce_piece(at(input, offset), at(output, offset), piece, type, reduction);
    if (!step) return step;
    done += piece;
    if (done < count) ++round_;
  }
  return {};
}

Result<void> ShmCommunicator::reduce_small(const void* input, void* output, std::size_t count,
                                           Type type, Reduction reduction) {
  copy_bytes(own_buffer(), input, count * size_of(type));
  auto step = exchange();
  if (!step || count == 0) return step;
  std::vector<const void*> inputs;
  for (int peer = 0; peer < size(); ++peer) inputs.push_back(peer_buffer(peer));
  reduce(inputs, output, count, type, reduction);
  return {};
}

ShmCommunicator::Stretch ShmCommunicator::slice(std::size_t count, int position) const {
  const auto parts = static_cast<std::size_t>(size());
  const auto bound = [&](std::size_t part) {
    const std::size_t even = (count * part / parts + kSliceElements - 1) / kSliceElements;
    return std::min(count, even * kSliceElements);
  };
  const auto part = static_cast<std::size_t>(position);
  return {bound(part), bound(part + 1) - bound(part)};
}

Result<void> ShmCommunicator::reduce_piece(const std::byte* input, std::byte* output,
                                           std::size_t count, Type type, Reduction reduction) {
  const std::size_t width = size_of(type);
  copy_bytes(own_buffer(), input, count * width);
  auto step = exchange();
  if (!step) return step;
  const Stretch own = slice(count, position());
  std::vector<const void*> inputs;
  for (int peer = 0; peer < size(); ++peer) {
    inputs.push_back(peer_buffer(peer) + own.begin * width);
  }
  ++round_;
  reduce(inputs, own_buffer() + own.begin * width, own.count, type, reduction);
  step = exchange();
  if (!step) return step;
  for (int peer = 0; peer < size(); ++peer) {
    const Stretch part = slice(count, peer);
    copy_bytes(output + part.begin * width, peer_buffer(peer) + part.begin * width,
               part.count * width);
  }
  return {};
}

}  // namespace ringmaster::collectives
