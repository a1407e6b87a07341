// SPDX-License-Identifier: Apache-2.0
#include "topology/rings/rings.h"

#include <algorithm>
#include <numeric>

#include "topology/rings/canonical_order.h"
#include "topology/rings/ring_use.h"
#include "topology/rings/simpler_wires.h"
#include "topology/rings/whole_rings.h"

namespace ringmaster::topology {

namespace {

constexpr double kExactSteps = 2.5e7;  // above kExactGpusAlways: so long it is made sure of
constexpr std::size_t kRingsMost = 500;
constexpr std::size_t kRingsOfMany = 40;  // above 16 GPUs, where each takes long to find
constexpr double kWorthIt = 1e-7;         // of the price of 1

/// Finds rings for wires of which each can limit them.
class RingFinder {
 public:
  RingFinder(const Wires& wires, const Tour& first)
      : wires_(wires), capacities_(capacities_of(wires)), packing_(capacities_) {
    take(first);
  }

  /// Brings rings in while they make the sum larger.
  void pack() {
    const std::size_t gpus = wires_.gpus();
    const std::size_t many = gpus > kSearchedGpusMost ? 1 : kRingsOfMany;
    const std::size_t most = gpus > kExactGpusMost ? many : kRingsMost;
    while (tours_.size() < most) {
      auto next = cheaper_ring();
      if (!next || !take(std::move(*next))) break;
    }
  }

  double gb_s() const {
    double sum = 0;
    for (const auto& [ring, rate] : packing_.rates()) sum += rate;
    return sum;
  }

  /// Without the order.
  RingSet rings() const {
    RingSet set;
    set.gb_s = gb_s();
    std::vector<RatedTour> rated;
    for (const auto& [ring, rate] : packing_.rates()) {
      rated.push_back({tours_[static_cast<std::size_t>(ring)], rate});
    }
    set.rings = directed(simplest(std::move(rated), set.gb_s));
    return set;
  }

  /// The fastest of those seen when it is alone; of equals the one that costs least.
  Tour best_order(const TourCosts& ranks) const {
    const Tour* best = &tours_.front();
    double most = rate_alone(use_of(wires_, *best), capacities_);
    for (const Tour& tour : tours_) {
      const double rate = rate_alone(use_of(wires_, tour), capacities_);
      const bool equal = rate >= most * (1 - kWorthIt);
      if (rate > most * (1 + kWorthIt) ||
          (equal && tour_cost(ranks, tour) < tour_cost(ranks, *best))) {
        best = &tour;
        most = std::max(most, rate);
      }
    }
    return *best;
  }

 private:
  bool take(Tour tour) {
    const WireUse use = use_of(wires_, tour);
    tours_.push_back(std::move(tour));
    return packing_.add(static_cast<int>(tours_.size()) - 1, use);
  }

  /// A ring whose wires cost less than what it brings.
  std::optional<Tour> cheaper_ring() {
    const TourCosts costs = costs_at(wires_, packing_.prices());
    const auto helps = [&](const Tour& tour) { return tour_cost(costs, tour) < 1 - kWorthIt; };
    if (wires_.gpus() > kExactGpusAlways) {
      if (Tour tour = local_tour(costs); helps(tour)) return tour;
      if (wires_.gpus() > kExactGpusMost || steps_ > kExactSteps) return std::nullopt;
      steps_ += exact_tour_steps(costs);
    }
    Tour tour = exact_tour(costs);
    return !tour.empty() && helps(tour) ? std::optional(std::move(tour)) : std::nullopt;
  }

  std::vector<RatedTour> simplest(std::vector<RatedTour> rated, double gb_s) const {
    if (rated.size() == 1 && is_balanced(wires_, rated.front().tour)) return rated;
    auto whole = whole_rings(wires_, gb_s * (1 - kWorthIt));
    if (!whole.empty()) return whole;
    const double least = gb_s * kWorthIt;
    rated.erase(std::remove_if(rated.begin(), rated.end(),
                               [&](const RatedTour& one) { return one.gb_s < least; }),
                rated.end());
    return rated;
  }

  std::vector<Ring> directed(const std::vector<RatedTour>& rated) const {
    std::vector<double> taken(capacities_.size());
    for (const RatedTour& one : rated) {
      for (const auto& [wire, amount] : use_of(wires_, one.tour)) {
        taken[static_cast<std::size_t>(wire)] += amount * one.gb_s;
      }
    }
    std::vector<Ring> rings;
    for (const RatedTour& one : rated) {
      const int limit = fullest(use_of(wires_, one.tour), taken);
      const bool both = !is_balanced(wires_, one.tour);
      rings.push_back({one.tour, both ? one.gb_s / 2 : one.gb_s, both, limit});
    }
    return rings;
  }

  /// Of equally full wires the slowest.
  int fullest(const WireUse& use, const std::vector<double>& taken) const {
    int found = use.front().first;
    const auto fill = [&](int wire) {
      const auto at = static_cast<std::size_t>(wire);
      return taken[at] / capacities_[at];
    };
    for (const auto& [wire, amount] : use) {
      const double more = fill(wire) - fill(found);
      const bool slower = capacities_[static_cast<std::size_t>(wire)] <
                          capacities_[static_cast<std::size_t>(found)];
      if (more > kWorthIt || (more > -kWorthIt && slower)) found = wire;
    }
    return found;
  }

  const Wires& wires_;
  const std::vector<double> capacities_;
  RingPacking packing_;
  std::vector<Tour> tours_;
  double steps_ = 0;  // of exact searches
};

/// From places among `chosen` to places in the machine, beginning with the lowest and on to the
/// lower of its neighbours: which way around is all one.
void rename_tour(Tour& tour, const std::vector<int>& chosen) {
  for (int& place : tour) place = chosen[static_cast<std::size_t>(place)];
  std::rotate(tour.begin(), std::min_element(tour.begin(), tour.end()), tour.end());
  if (tour.size() > 2 && tour.back() < tour[1]) std::reverse(tour.begin() + 1, tour.end());
}

/// GPUs in an order for the search, and wires as it needs them.
class RingSearch {
 public:
  explicit RingSearch(const Wires& wires)
      : chosen_(order_of(wires)),
        wires_(select_gpus(wires, chosen_)),
        ranks_(costs_by_rank(wires_, capacities_of(wires_))),
        first_(wires.gpus() <= kExactGpusMost ? exact_tour(ranks_) : local_tour(ranks_)),
        simpler_(limiting_wires(is_linked(wires_, first_) ? close_unlinked(wires_) : wires_)),
        finder_(simpler_.wires, first_) {
    finder_.pack();
  }

  double gb_s() const { return finder_.gb_s(); }

  RingSet rings() const {
    RingSet set = finder_.rings();
    set.order = finder_.best_order(ranks_);
    rename_tour(set.order, chosen_);
    for (Ring& ring : set.rings) {
      rename_tour(ring.order, chosen_);
      ring.limit = simpler_.places[static_cast<std::size_t>(ring.limit)];
    }
    return set;
  }

 private:
  /// A search that is not exact looks at the GPUs in an order that does not hang on their numbers.
  static std::vector<int> order_of(const Wires& wires) {
    const bool told = wires.gpus() > kExactGpusAlways && wires.gpus() <= kSearchedGpusMost;
    if (told) return canonical_order(wires);
    std::vector<int> order(wires.gpus());
    std::iota(order.begin(), order.end(), 0);
    return order;
  }

  const std::vector<int> chosen_;
  const Wires wires_;
  const TourCosts ranks_;
  const Tour first_;
  const SimplerWires simpler_;
  RingFinder finder_;
};

}  // namespace

RingSet find_rings(const Wires& wires) {
  if (wires.gpus() < 2) return {.order = Tour(wires.gpus())};
  return RingSearch(wires).rings();
}

double ring_gb_s(const Wires& wires) {
  return wires.gpus() < 2 ? 0 : RingSearch(wires).gb_s();
}

}  // namespace ringmaster::topology
