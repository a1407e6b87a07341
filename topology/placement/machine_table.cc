// SPDX-License-Identifier: Apache-2.0
#include "topology/placement/machine_table.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "base/check.h"
#include "topology/rings/rings.h"

namespace ringmaster::topology {

namespace {

constexpr int kAllChoicesMost = 8;
/// Bandwidths are sums in different orders.
constexpr double kSameBandwidth = 1e-6;

GpuSet bit_of(int place) {
  return GpuSet{1} << place;
}

/// The next larger number with as many bits (HAKMEM, item 175).
GpuSet next_set(GpuSet set) {
  const GpuSet low = set & (~set + 1), ripple = set + low;
  return ripple | (((set ^ ripple) >> 2) / low);
}

/// Spreads the bits of `number` over those of `mask`.
GpuSet spread_bits(GpuSet number, GpuSet mask) {
  GpuSet set = 0;
  for (; mask != 0; mask &= mask - 1, number >>= 1) {
    if ((number & 1) != 0) set |= mask & (~mask + 1);
  }
  return set;
}

}  // namespace

int count_gpus(GpuSet set) {
  return std::popcount(set);
}

std::vector<int> places_in(GpuSet set) {
  std::vector<int> places;
  for (; set != 0; set &= set - 1) places.push_back(std::countr_zero(set));
  return places;
}

MachineTable::MachineTable(Wires wires) : wires_(std::move(wires)) {
  CHECK(wires_.gpus() <= kGpusOfMachineMost);
}

double MachineTable::gb_s(GpuSet set) {
  if (count_gpus(set) < 2) return std::numeric_limits<double>::infinity();
  const auto [at, is_new] = gb_s_.try_emplace(set, 0);
  if (is_new) at->second = ring_gb_s(select_gpus(wires_, places_in(set)));
  return at->second;
}

double MachineTable::best_of(GpuSet free, int count) {
  if (const auto at = best_of_.find({free, count}); at != best_of_.end()) return at->second;
  double best = 0;
  for (const GpuSet set : candidates(free, count)) best = std::max(best, gb_s(set));
  best_of_[{free, count}] = best;
  return best;
}

double MachineTable::worth(GpuSet free) {
  if (const auto at = worth_.find(free); at != worth_.end()) return at->second;
  double sum = free == 0 ? 0 : 1;  // of one GPU there is no bandwidth: it is there, or not
  for (int count = 2; count <= count_gpus(free); count *= 2) {
    sum += count * best_of(free, count) / best_of(all(), count);
  }
  worth_[free] = sum;
  return sum;
}

GpuSet MachineTable::grown(GpuSet free, int first, int count) const {
  GpuSet set = bit_of(first);
  while (count_gpus(set) < count) {
    int nearest = -1;
    double most = -1;
    for (const int next : places_in(free & ~set)) {
      double sum = 0;
      for (const int there : places_in(set)) {
        sum += wires_.gb_s(static_cast<std::size_t>(there), static_cast<std::size_t>(next));
      }
      if (sum <= most) continue;
      most = sum;
      nearest = next;
    }
    set |= bit_of(nearest);
  }
  return set;
}

std::vector<GpuSet> MachineTable::candidates(GpuSet free, int count) const {
  const int there = count_gpus(free);
  if (count <= 0 || count > there) return {};
  std::vector<GpuSet> sets;
  if (there <= kAllChoicesMost) {
    const GpuSet end = GpuSet{1} << there;
    for (GpuSet set = (GpuSet{1} << count) - 1; set < end; set = next_set(set)) {
      sets.push_back(spread_bits(set, free));
    }
    return sets;
  }
  for (const int first : places_in(free)) {
    sets.push_back(grown(free, first, count));
    if (count < there) sets.push_back(free & ~grown(free, first, there - count));
  }
  std::sort(sets.begin(), sets.end());
  sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
  return sets;
}

GpuChoice MachineTable::choose(GpuSet free, int count) {
  if (const auto at = chosen_.find({free, count}); at != chosen_.end()) return at->second;
  const std::vector<GpuSet> sets = candidates(free, count);
  CHECK(!sets.empty());
  double most = 0;
  for (const GpuSet set : sets) most = std::max(most, gb_s(set));
  GpuChoice best;
  for (const GpuSet set : sets) {
    if (gb_s(set) < most * (1 - kSameBandwidth)) continue;
    const double harm = worth(free) - worth(free & ~set);
    if (best.gpus == 0 || harm < best.harm - kSameBandwidth) best = {set, gb_s(set), harm};
  }
  chosen_[{free, count}] = best;
  return best;
}

}  // namespace ringmaster::topology
