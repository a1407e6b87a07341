// SPDX-License-Identifier: Apache-2.0
//
// The all-reduce of memory that all ranks of the host see: no buffers, each input is read once and
// each output written once.
#include "collectives/bytes.h"
#include "collectives/kernels/kernel.h"
#include "collectives/shm/shm_all_reduce.h"

namespace ringmaster::collectives {

namespace {

/// Whether the outputs will have left the caches before anybody reads them. Where all ranks' arrays
/// are twice the largest cache that gained nothing yet, from four times on about a tenth.
bool is_streamed(std::size_t bytes, int ranks) {
  static const std::size_t cache = largest_cache();
  return bytes >= 2 * cache / static_cast<std::size_t>(ranks);
}

}  // namespace

ShmCommunicator::Places ShmCommunicator::places_of(const AllReduce& all) const {
  if (arena_ == nullptr) return {};
  return {arena_->find(all.input, all.bytes()), arena_->find(all.output, all.bytes())};
}

void ShmCommunicator::say_places(const Places& places) {
  static_assert(sizeof places <= Arrival::kPayloadBytes);
  copy_bytes(arrival(position(), next_).payload, &places, sizeof places);
}

ShmCommunicator::Places ShmCommunicator::places_at(int peer, Chunk chunk) const {
  Places places;
  copy_bytes(&places, arrival(peer, chunk).payload, sizeof places);
  return places;
}

bool ShmCommunicator::anyone_shares(Chunk chunk) const {
  for (int peer = 0; peer < size(); ++peer) {
    if (places_at(peer, chunk).shared()) return true;
  }
  return false;
}

/// The bytes of the arrays that everybody sees of everybody, cut to cache lines. Nothing when that
/// is less than half: then buffers are as good.
Reach ShmCommunicator::common_stretch(const AllReduce& all, Chunk chunk) const {
  std::uint64_t begin = 0, end = all.bytes();
  for (int peer = 0; peer < size(); ++peer) {
    const Places places = places_at(peer, chunk);
    if (!places.shared()) return {};
    begin = std::max({begin, places.input.begin, places.output.begin});
    end = std::min({end, places.input.end, places.output.end});
  }
  const Reach seen = cut_to_lines({0, begin, end}, all.bytes());
  return seen.end - seen.begin < all.bytes() / 2 ? Reach{} : seen;
}

Result<void> ShmCommunicator::reduce_shared(const AllReduce& all, const Places& own) {
  const Chunk chunk = next_;
  say_places(own);
  arrive(chunk);
  auto step = wait_arrived(chunk);
  if (!step) return step;
  const Reach common = common_stretch(all, chunk);
  if (common.begin == common.end) return reduce_ordinary(all, false);
  step = reduce_direct(all, common, chunk);
  // What lies before and behind the whole pages of a buffer that was adopted.
  if (step && common.begin > 0) step = reduce_ordinary(all.part(0, common.begin), false);
  if (step && common.end < all.bytes()) {
    step = reduce_ordinary(all.part(common.end, all.bytes()), false);
  }
  return step;
}

/// One stretch into all outputs. Writing each result once and copying it beats a loop that writes
/// to all ranks' memory: lines that another core holds are waited for one by one there.
void ShmCommunicator::reduce_and_hand_out(const AllReduce& all, std::size_t count) {
  const auto own = static_cast<std::size_t>(position());
  const bool streamed = is_streamed(all.bytes(), size());
  scratch_.resize(kDirectStretch);
  void* reduced = streamed ? scratch_.data() : outputs_[own];
  reduce_stretches({inputs_.data(), size(), &reduced, 1, count, size()}, all.type, all.reduction);
  for (std::size_t turn = streamed ? 0 : 1; turn < outputs_.size(); ++turn) {
    void* output = outputs_[(own + turn) % outputs_.size()];
    (streamed ? stream_bytes : copy_bytes)(output, reduced, count * all.width);
  }
}

Result<void> ShmCommunicator::reduce_direct(const AllReduce& all, Reach common, Chunk chunk) {
  const Slice own = slice_of((common.end - common.begin) / all.width, position(), size());
  const std::size_t begin = common.begin + own.begin * all.width;
  inputs_.clear();
  outputs_.clear();
  for (int peer = 0; peer < size(); ++peer) {
    const Places places = places_at(peer, chunk);
    if (peer == position()) {
      inputs_.push_back(all.input + begin);
      outputs_.push_back(all.output + begin);
      continue;
    }
    for (const Reach& reach : {places.input, places.output}) {
      const auto memory = arena_->reach(number(peer), reach.base + common.end);
      if (!memory) return failure(memory.error().code, memory.error().message);
    }
    // Asked again: the second may have moved the first.
    std::byte* arena = *arena_->reach(number(peer), 0);
    inputs_.push_back(arena + (places.input.base + begin));
    outputs_.push_back(arena + (places.output.base + begin));
  }
  const std::size_t most = kDirectStretch / all.width;
  for (std::size_t done = 0; done < own.count; done += most) {
    if (segment_.aborted(membership_.generation)) return aborted();
    const std::size_t count = std::min(most, own.count - done);
    reduce_and_hand_out(all, count);
    for (const void*& input : inputs_) input = at(input, count * all.width);
    for (void*& output : outputs_) output = at(output, count * all.width);
  }
  publish_reduced(chunk);
  return wait_reduced(chunk);
}

}  // namespace ringmaster::collectives
