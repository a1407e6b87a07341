// SPDX-License-Identifier: Apache-2.0
#include "topology/placement/placement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "base/check.h"
#include "topology/placement/host_groups.h"
#include "topology/rings/joined_rings.h"
#include "topology/rings/rings.h"

namespace ringmaster::topology {

namespace {

constexpr double kSame = 1e-6;  // of a bandwidth or a harm: rounding

class PlacementSearch {
 public:
  PlacementSearch(const Cluster& cluster, int gpus)
      : cluster_(cluster), gpus_(gpus), groups_(group_hosts(cluster)) {
    for (const MachineKind& kind : cluster.kinds) tables_.emplace_back(kind.wires);
    for (const HostGroup& group : groups_) CHECK((group.free & ~table(group).all()) == 0);
  }

  std::variant<Placement, std::string> find() {
    int free = 0;
    for (const HostRoom& host : cluster_.hosts) free += count_gpus(host.free);
    if (free < gpus_) {
      return fmt::format("the job needs {} GPUs: {} are free on {} host{}", gpus_, free,
                         cluster_.hosts.size(), cluster_.hosts.size() == 1 ? "" : "s");
    }
    const auto one = on_one_host();
    // What several hosts carry is at most what a network does.
    double network = 0;
    for (const MachineKind& kind : cluster_.kinds) network = std::max(network, kind.network_gb_s);
    if (one && (gpus_ == 1 || one->gb_s >= network * (1 - kSame))) return *one;
    auto several = on_several_hosts();
    if (one && (!several || several->gb_s <= one->gb_s * (1 + kSame))) return *one;
    if (several) return *several;
    return fmt::format("the job needs {} GPUs: no sets of the {} free ones add up to it", gpus_,
                       free);
  }

 private:
  MachineTable& table(const HostGroup& group) {
    return tables_.at(static_cast<std::size_t>(group.kind));
  }
  double network(const HostGroup& group) const {
    return cluster_.kinds[static_cast<std::size_t>(group.kind)].network_gb_s;
  }
  /// What a host of the group adds to when it gives so many, and others give more.
  double rate(const HostGroup& group, int count) {
    return std::min(table(group).choose(group.free, count).gb_s, network(group));
  }

  HostShare share_of(const HostGroup& group, int host, GpuSet gpus) {
    const std::vector<int> places = places_in(gpus);
    HostShare share{host, {}};
    for (const int at : find_rings(select_gpus(table(group).wires(), places)).order) {
      share.order.push_back(places[static_cast<std::size_t>(at)]);
    }
    return share;
  }

  std::string name(int host) const { return cluster_.hosts[static_cast<std::size_t>(host)].name; }

  std::optional<Placement> on_one_host() {
    const HostGroup* best = nullptr;
    GpuChoice chosen;
    std::size_t equals = 0;
    for (const HostGroup& group : groups_) {
      if (count_gpus(group.free) < gpus_) continue;
      const GpuChoice choice = table(group).choose(group.free, gpus_);
      const bool same =
          best != nullptr && (choice.gb_s == chosen.gb_s ||
                              std::abs(choice.gb_s - chosen.gb_s) <= chosen.gb_s * kSame);
      const bool better = best == nullptr || (!same && choice.gb_s > chosen.gb_s);
      equals = better ? group.hosts.size() : equals + (same ? group.hosts.size() : 0);
      if (!better && !(same && choice.harm < chosen.harm - kSame)) continue;
      best = &group;
      chosen = choice;
    }
    if (best == nullptr) return std::nullopt;
    Placement placement{{share_of(*best, best->hosts.front(), chosen.gpus)}, chosen.gb_s, {}};
    placement.why = why_one(placement, *best, equals);
    return placement;
  }

  std::string why_one(const Placement& placement, const HostGroup& group,
                      std::size_t equals) const {
    const HostShare& share = placement.shares.front();
    const auto& numbers = cluster_.kinds[static_cast<std::size_t>(group.kind)].numbers;
    std::vector<int> named = share.order;
    for (int& gpu : named) gpu = numbers.empty() ? gpu : numbers[static_cast<std::size_t>(gpu)];
    std::string text = fmt::format("GPU{} {} of {}: ", named.size() > 1 ? "s" : "",
                                   fmt::join(named, "-"), name(share.host));
    if (gpus_ > 1) {
      text += fmt::format("{:.1f} GB/s, the most that {} free GPUs of one host have",
                          placement.gb_s, gpus_);
    } else {
      text += "one GPU needs no ring";
    }
    const int left = count_gpus(group.free) - gpus_;
    text += left == 0 ? "; it takes all that is free there"
                      : fmt::format("; {} stay{} free there", left, left == 1 ? "s" : "");
    if (equals > 1) text += fmt::format(", and of {} hosts it loses the least", equals);
    return text;
  }

  std::vector<GroupOffer> offers_at(double rate_least) {
    std::vector<GroupOffer> offers;
    for (const HostGroup& group : groups_) {
      GroupOffer offer{0, group.hosts.size()};
      for (int count = 1; count <= std::min(count_gpus(group.free), gpus_ - 1); ++count) {
        if (rate(group, count) >= rate_least) offer.counts |= std::uint32_t{1} << (count - 1);
      }
      offers.push_back(offer);
    }
    return offers;
  }

  /// The largest rate that hosts together can all give, by halving.
  std::optional<Placement> on_several_hosts() {
    std::set<double> rates;
    for (const HostGroup& group : groups_) {
      for (int count = 1; count <= std::min(count_gpus(group.free), gpus_ - 1); ++count) {
        if (const double own = rate(group, count); own > 0) rates.insert(own);
      }
    }
    const std::vector<double> ascending(rates.begin(), rates.end());
    std::optional<Placement> best;
    std::size_t low = 0, high = ascending.size();
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      const auto offers = offers_at(ascending[middle]);
      if (const auto shares = share_out(offers, gpus_)) {
        best = place(offers, *shares, ascending[middle]);
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return best;
  }

  /// Gives each share to the host that loses the least by it.
  Placement place(const std::vector<GroupOffer>& offers,
                  std::vector<std::pair<std::size_t, int>> shares, double gb_s) {
    std::stable_sort(shares.begin(), shares.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    std::vector<std::size_t> used(groups_.size());
    std::vector<std::pair<std::size_t, int>> better;
    for (const auto& [own, count] : shares) {
      std::size_t least = groups_.size();
      double harm = std::numeric_limits<double>::infinity();
      for (std::size_t at = 0; at < groups_.size(); ++at) {
        const bool can = (offers[at].counts >> (count - 1) & 1) != 0;
        if (!can || used[at] == offers[at].hosts) continue;
        const double lost = table(groups_[at]).choose(groups_[at].free, count).harm;
        if (lost >= harm - kSame) continue;
        least = at;
        harm = lost;
      }
      if (least == groups_.size()) break;
      ++used[least];
      better.emplace_back(least, count);
    }
    // What suits the large shares may leave too little for the small ones.
    return placed(better.size() == shares.size() ? better : shares, gb_s);
  }

  Placement placed(const std::vector<std::pair<std::size_t, int>>& shares, double gb_s) {
    Placement placement{{}, gb_s, {}};
    std::vector<std::size_t> used(groups_.size());
    const HostGroup* slowest = nullptr;
    int host_of_slowest = 0;
    for (const auto& [at, count] : shares) {
      const HostGroup& group = groups_[at];
      const int host = group.hosts[used[at]++];
      placement.shares.push_back(
          share_of(group, host, table(group).choose(group.free, count).gpus));
      if (slowest != nullptr && rate(group, count) > gb_s * (1 + kSame)) continue;
      slowest = &group;
      host_of_slowest = host;
    }
    const bool network_limits = network(*slowest) <= gb_s * (1 + kSame);
    placement.why =
        fmt::format("{} hosts, as few as have {} GPUs at {:.1f} GB/s; limited by the {} of {}",
                    placement.shares.size(), gpus_, gb_s, network_limits ? "network" : "rings",
                    name(host_of_slowest));
    return placement;
  }

  const Cluster& cluster_;
  const int gpus_;
  const std::vector<HostGroup> groups_;
  std::vector<MachineTable> tables_;
};

}  // namespace

std::variant<Placement, std::string> find_placement(const Cluster& cluster, int gpus) {
  if (gpus < 1) return "a job needs a GPU at least";
  return PlacementSearch(cluster, gpus).find();
}

double network_gb_s(const Topology& machine) {
  double sum = 0;
  for (const Rail& rail : rails_of(machine)) sum += rail.speed.gb_s;
  return sum;
}

}  // namespace ringmaster::topology
