// SPDX-License-Identifier: Apache-2.0
#include "topology/placement/host_groups.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

namespace ringmaster::topology {

namespace {

int most_of(const GroupOffer& offer) {
  return std::bit_width(offer.counts);
}

/// Chooses counts that add up, by trying the largest first.
class SharingOut {
 public:
  SharingOut(const std::vector<GroupOffer>& offers, std::vector<std::size_t> by_most)
      : offers_(offers), by_most_(std::move(by_most)) {}

  bool choose(int gpus, int hosts) {
    shares.clear();
    steps_ = 0;
    return choose_from(0, 0, kGpusMost, gpus, hosts);
  }

  std::vector<std::pair<std::size_t, int>> shares;

 private:
  static constexpr int kStepsMost = 20'000;
  static constexpr int kGpusMost = 32;

  /// From the group at `at`, of which `used` hosts have given, none less than `most`.
  bool choose_from(std::size_t at, std::size_t used, int most, int gpus, int hosts) {
    if (hosts == 0) return gpus == 0;
    if (gpus < hosts) return false;
    for (; at < by_most_.size(); ++at, used = 0, most = kGpusMost) {
      const GroupOffer& offer = offers_[by_most_[at]];
      if (most_of(offer) == 0 || hosts * most_of(offer) < gpus) return false;
      if (++steps_ > kStepsMost) return false;
      if (used == offer.hosts) continue;
      for (int count = std::min({most, most_of(offer), gpus}); count > 0; --count) {
        if ((offer.counts >> (count - 1) & 1) == 0) continue;
        shares.emplace_back(by_most_[at], count);
        if (choose_from(at, used + 1, count, gpus - count, hosts - 1)) return true;
        shares.pop_back();
      }
    }
    return false;
  }

  const std::vector<GroupOffer>& offers_;
  const std::vector<std::size_t> by_most_;
  int steps_ = 0;
};

}  // namespace

std::vector<HostGroup> group_hosts(const Cluster& cluster) {
  std::map<std::pair<int, GpuSet>, std::vector<int>> alike;
  for (std::size_t i = 0; i < cluster.hosts.size(); ++i) {
    const HostRoom& host = cluster.hosts[i];
    if (host.free != 0) alike[{host.kind, host.free}].push_back(static_cast<int>(i));
  }
  std::vector<HostGroup> groups;
  for (auto& [key, hosts] : alike) groups.push_back({key.first, key.second, std::move(hosts)});
  std::stable_sort(groups.begin(), groups.end(), [](const HostGroup& a, const HostGroup& b) {
    return count_gpus(a.free) > count_gpus(b.free);
  });
  return groups;
}

std::optional<std::vector<std::pair<std::size_t, int>>> share_out(
    const std::vector<GroupOffer>& offers, int gpus) {
  std::vector<std::size_t> by_most(offers.size());
  std::iota(by_most.begin(), by_most.end(), std::size_t{0});
  std::stable_sort(by_most.begin(), by_most.end(), [&](std::size_t a, std::size_t b) {
    return most_of(offers[a]) > most_of(offers[b]);
  });
  // So many hosts could do when each gives its most.
  int fewest = 0, sum = 0;
  for (const std::size_t at : by_most) {
    for (std::size_t i = 0; i < offers[at].hosts && sum < gpus && most_of(offers[at]) > 0; ++i) {
      sum += most_of(offers[at]);
      ++fewest;
    }
  }
  if (sum < gpus) return std::nullopt;
  constexpr int kMoreHosts = 4;
  SharingOut sharing(offers, std::move(by_most));
  for (int hosts = std::max(fewest, 2); hosts <= std::min(gpus, fewest + kMoreHosts); ++hosts) {
    if (sharing.choose(gpus, hosts)) return std::move(sharing.shares);
  }
  return std::nullopt;
}

}  // namespace ringmaster::topology
