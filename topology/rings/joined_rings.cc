// SPDX-License-Identifier: Apache-2.0
#include "topology/rings/joined_rings.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.h"
#include "topology/pci_paths.h"

namespace ringmaster::topology {

namespace {

Rail rail_of(const Topology& machine, std::size_t place) {
  const Nic& nic = machine.nics[place];
  Rail rail{static_cast<int>(place), nic_speed(nic)};
  const auto at = nic.bus_id ? find_pci(machine.pci, *nic.bus_id) : std::nullopt;
  if (at && machine.pci[*at].link.gt_s) {
    const Speed pcie = pcie_speed(machine.pci[*at].link, 0);
    if (!pcie.assumed && pcie.gb_s < rail.speed.gb_s) rail.speed = pcie;
  }
  return rail;
}

/// How far it is, less being nearer; what is unknown is farthest.
int distance(const Topology& machine, int nic, int gpu) {
  constexpr int kUnknown = 100;
  if (nic < 0) return kUnknown;
  const MaybePath& path =
      machine.nics[static_cast<std::size_t>(nic)].paths[static_cast<std::size_t>(gpu)];
  return path ? static_cast<int>(path->kind) : kUnknown;
}

/// One host, with what is the same for all its rings.
class JoinedHost {
 public:
  explicit JoinedHost(const RingHost& host) : host_(host), machine_(*host.machine) {
    CHECK(!host.gpus.empty());
    const RingSet set = find_rings(select_gpus(find_wires(machine_), host.gpus));
    for (const int at : set.order) order_.push_back(host.gpus[static_cast<std::size_t>(at)]);
    inner_ = order_.size() > 1 ? set.gb_s : std::numeric_limits<double>::infinity();
    rails_ = rails_of(machine_);
  }

  const std::string& name() const { return host_.name; }
  double inner() const { return inner_; }
  const std::vector<Rail>& rails() const { return rails_; }

  /// Leaves the adapters that are nearest to the GPUs, in their own order.
  void keep_rails(std::size_t count) {
    std::vector<std::size_t> places(rails_.size());
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
    std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
      return nearest(rails_[a].nic) < nearest(rails_[b].nic);
    });
    places.resize(count);
    std::sort(places.begin(), places.end());
    std::vector<Rail> kept;
    for (const std::size_t place : places) kept.push_back(rails_[place]);
    rails_ = std::move(kept);
  }

  /// The order, begun and turned so that both its ends are near the adapter of this rail; where all
  /// are as near, rails begin at different GPUs.
  Tour order(std::size_t rail) const {
    const int nic = rails_[rail].nic;
    const std::size_t gpus = order_.size(), wished = rail * gpus / rails_.size();
    Tour best;
    std::pair<int, std::size_t> least;
    for (std::size_t turn = 0; turn < 2 * gpus; ++turn) {
      Tour tour = order_;
      const std::size_t first = turn / 2;
      std::rotate(tour.begin(), tour.begin() + static_cast<std::ptrdiff_t>(first), tour.end());
      if (turn % 2 == 1) std::reverse(tour.begin() + 1, tour.end());
      const int ends =
          1000 * distance(machine_, nic, tour.front()) + distance(machine_, nic, tour.back());
      const std::pair key(ends, (first + gpus - wished) % gpus);
      if (!best.empty() && key >= least) continue;
      best = std::move(tour);
      least = key;
    }
    return best;
  }

 private:
  int nearest(int nic) const {
    int least = std::numeric_limits<int>::max();
    for (const int gpu : order_) least = std::min(least, distance(machine_, nic, gpu));
    return least;
  }

  const RingHost& host_;
  const Topology& machine_;
  Tour order_;
  double inner_ = 0;
  std::vector<Rail> rails_;
};

/// Its speed is that of the slowest host's adapter.
Speed speed_of_rail(const std::vector<JoinedHost>& hosts, std::size_t rail) {
  Speed slowest{std::numeric_limits<double>::infinity(), false};
  for (const JoinedHost& host : hosts) {
    const Speed& own = host.rails()[rail].speed;
    if (own.gb_s < slowest.gb_s) slowest = own;
  }
  return slowest;
}

}  // namespace

std::vector<Rail> rails_of(const Topology& machine) {
  std::vector<Rail> rails;
  for (std::size_t i = 0; i < machine.nics.size(); ++i) rails.push_back(rail_of(machine, i));
  double fastest = 0;
  for (const Rail& rail : rails) fastest = std::max(fastest, rail.speed.gb_s);
  std::erase_if(rails, [&](const Rail& rail) { return rail.speed.gb_s < fastest / 2; });
  if (rails.empty()) rails.push_back({-1, nic_speed({})});
  return rails;
}

JoinedRings join_rings(const std::vector<RingHost>& hosts) {
  CHECK(hosts.size() > 1);
  std::vector<JoinedHost> joined(hosts.begin(), hosts.end());
  std::size_t rails = joined.front().rails().size();
  for (const JoinedHost& host : joined) rails = std::min(rails, host.rails().size());
  for (JoinedHost& host : joined) host.keep_rails(rails);
  JoinedRings made;
  double network = 0;
  for (std::size_t rail = 0; rail < rails; ++rail) {
    const Speed speed = speed_of_rail(joined, rail);
    JoinedRing ring{{}, {}, speed.gb_s};
    for (const JoinedHost& host : joined) {
      ring.orders.push_back(host.order(rail));
      ring.nics.push_back(host.rails()[rail].nic);
    }
    network += speed.gb_s;
    made.assumed = made.assumed || speed.assumed;
    made.rings.push_back(std::move(ring));
  }
  const auto slowest = std::min_element(
      joined.begin(), joined.end(),
      [](const JoinedHost& a, const JoinedHost& b) { return a.inner() < b.inner(); });
  made.gb_s = std::min(network, slowest->inner());
  made.limit =
      network < slowest->inner()
          ? fmt::format("the network adapters ({:.1f} GB/s)", network)
          : fmt::format("the rings within {} ({:.1f} GB/s)", slowest->name(), slowest->inner());
  // What the inside of a host does not carry, the rails share the loss of.
  for (JoinedRing& ring : made.rings) ring.gb_s *= made.gb_s / network;
  return made;
}

}  // namespace ringmaster::topology
