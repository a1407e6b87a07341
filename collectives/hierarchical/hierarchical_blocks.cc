// SPDX-License-Identifier: Apache-2.0
//
// The parts of the engine that move blocks of many positions: from the order of positions to that
// of hosts, and from each rank to each.
#include <numeric>

#include "collectives/bytes.h"
#include "collectives/call_text.h"
#include "collectives/hierarchical/hierarchical_communicator.h"
#include "collectives/parts.h"
#include "collectives/reduce.h"

namespace ringmaster::collectives {

Counts HierarchicalCommunicator::by_host(const Counts& counts) const {
  Counts sums;
  for (const auto& positions : members_) {
    sums.push_back(0);
    for (const int position : positions) sums.back() += counts[static_cast<std::size_t>(position)];
  }
  return sums;
}

Counts HierarchicalCommunicator::by_neighbour(const Counts& counts) const {
  Counts own;
  for (const int position : members_[static_cast<std::size_t>(host_)]) {
    own.push_back(counts[static_cast<std::size_t>(position)]);
  }
  return own;
}

void HierarchicalCommunicator::to_host_order(const void* from, std::byte* to, const Counts& counts,
                                             std::size_t width) const {
  for (const auto& positions : members_) {
    for (const int position : positions) {
      const std::size_t bytes = counts[static_cast<std::size_t>(position)] * width;
      copy_bytes(to, at(from, before(counts, position) * width), bytes);
      to += bytes;
    }
  }
}

void HierarchicalCommunicator::to_position_order(const std::byte* from, void* to,
                                                 const Counts& counts, std::size_t width) const {
  for (const auto& positions : members_) {
    for (const int position : positions) {
      const std::size_t bytes = counts[static_cast<std::size_t>(position)] * width;
      copy_bytes(at(to, before(counts, position) * width), from, bytes);
      from += bytes;
    }
  }
}

Result<void> HierarchicalCommunicator::agree_on_parts(const Counts& give, const Counts& take) {
  std::vector<std::uint64_t> sums(members_.size());
  auto end = between(
      leads(), [&] { return between_->all_gather(&parts_, sums.data(), 1, RINGMASTER_INT64); });
  if (!end) return end;
  std::uint64_t sum = std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
  end = fail(local_->broadcast(&sum, 1, RINGMASTER_INT64, 0));
  if (!end || sum == 0) return end;
  return fail(parts_difference(*this, give, take, [&](int peer) { return mesh_->number(peer); }));
}

Result<void> HierarchicalCommunicator::all_to_all(const void* input, const Counts& give,
                                                  void* output, const Counts& take, Type type) {
  CHECK_EQ(give.size(), hosts_.size());
  CHECK_EQ(take.size(), hosts_.size());
  const auto own = static_cast<std::size_t>(position_);
  if (give[own] != take[own]) return Error{Errc::invalid, kTakesOther};
  const Call call{.kind = kAllToAll, .type = static_cast<std::uint32_t>(type)};
  if (auto begun = begin(call, parts_sum(give, take, position_)); !begun) return begun;
  // Messages do not tell of what they are parts: that all have called the same is seen before.
  auto end = agree_on_parts(give, take);
  if (!end) return end;
  const std::size_t width = size_of(type);
  const Counts give_here = by_neighbour(give), take_here = by_neighbour(take);
  std::vector<std::byte> out(total(give_here) * width), in(total(take_here) * width);
  std::vector<Transfer> sends, receives;
  std::byte* packed = out.data();
  for (int peer = 0; peer < size(); ++peer) {
    const auto index = static_cast<std::size_t>(peer);
    std::byte* from = const_cast<std::byte*>(at(input, before(give, peer) * width));
    if (hosts_[index] == hosts_[own]) {
      copy_bytes(packed, from, give[index] * width);
      packed += give[index] * width;
      continue;
    }
    sends.push_back({from, give[index], type, peer});
    receives.push_back({at(output, before(take, peer) * width), take[index], type, peer});
  }
  end = local_->all_to_all(out.data(), give_here, in.data(), take_here, type);
  if (end) end = flat_.exchange(sends, receives);
  if (auto agreed = agree(end); !agreed) return agreed;
  const std::byte* unpacked = in.data();
  for (const int peer : members_[static_cast<std::size_t>(host_)]) {
    const std::size_t bytes = take[static_cast<std::size_t>(peer)] * width;
    copy_bytes(at(output, before(take, peer) * width), unpacked, bytes);
    unpacked += bytes;
  }
  return {};
}

Result<void> HierarchicalCommunicator::exchange(const std::vector<Transfer>& sends,
                                                const std::vector<Transfer>& receives) {
  if (failed_) return *failed_;
  flat_.set_timeout(timeout_);
  auto end = flat_.exchange(sends, receives);
  if (!end) failed_ = end.error();
  return end;
}

}  // namespace ringmaster::collectives
