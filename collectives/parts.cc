// SPDX-License-Identifier: Apache-2.0
#include "collectives/parts.h"

#include <algorithm>

#include "collectives/call_text.h"

namespace ringmaster::collectives {

namespace {

/// Every bit of the result hangs on every bit of the argument (the finisher of SplitMix64).
std::uint64_t spread_bits(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ULL;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebULL;
  return bits ^ (bits >> 31);
}

std::uint64_t part_number(std::size_t from, std::size_t to, std::size_t count) {
  return spread_bits(spread_bits((static_cast<std::uint64_t>(from) << 32) + to + 1) + count);
}

/// A part of which its giver and its taker say different things.
struct Wrong {
  std::uint64_t from, given, taken;
};

}  // namespace

std::uint64_t parts_sum(const Counts& give, const Counts& take, int position) {
  const auto own = static_cast<std::size_t>(position);
  std::uint64_t sum = 0;
  for (std::size_t peer = 0; peer < give.size(); ++peer) {
    sum += part_number(own, peer, give[peer]) - part_number(peer, own, take[peer]);
  }
  return sum;
}

Error parts_difference(Communicator& ring, const Counts& give, const Counts& take,
                       const std::function<int(int)>& number) {
  const auto size = static_cast<std::size_t>(ring.size());
  const Counts one(size, 1);
  std::vector<std::uint64_t> told(give.begin(), give.end()), given(size);
  auto end = ring.all_to_all(told.data(), one, given.data(), one, RINGMASTER_INT64);
  if (!end) return end.error();
  Wrong own{size, 0, 0};  // none
  for (std::size_t peer = size; peer-- > 0;) {
    if (given[peer] != take[peer]) own = {peer, given[peer], take[peer]};
  }
  std::vector<Wrong> all(size);
  end = ring.all_gather(&own, all.data(), sizeof(Wrong), RINGMASTER_UINT8);
  if (!end) return end.error();
  const auto first =
      std::ranges::min_element(all, {}, [](const Wrong& wrong) { return wrong.from; });
  CHECK_LT(first->from, size);
  return {Errc::mismatch, parts_text(number(static_cast<int>(first->from)), first->given,
                                     number(static_cast<int>(first - all.begin())), first->taken)};
}

}  // namespace ringmaster::collectives
