// SPDX-License-Identifier: Apache-2.0
#include "topology/rings/whole_rings.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "topology/rings/ring_use.h"

namespace ringmaster::topology {

namespace {

constexpr std::size_t kWholeMost = 64;
constexpr double kFits = 1e-9;  // of a rate: rounding

/// The speed of the slowest link by itself among wires between two GPUs; 0 without any.
double unit_of(const Wires& wires) {
  double unit = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < wires.gpus(); ++i) {
    for (std::size_t j = i + 1; j < wires.gpus(); ++j) {
      if (wires.routes[i][j].size() != 1) continue;
      const Wire& wire = wires.wires[static_cast<std::size_t>(wires.routes[i][j].front().wire)];
      unit = std::min(unit, wire.gb_s / wire.parts);
    }
  }
  return std::isfinite(unit) ? unit : 0;
}

/// Of what is left: a step costs the more the less its wires have, and what no ring of this rate
/// can cross costs more than any tour of others.
TourCosts costs_of_left(const Wires& wires, const std::vector<double>& left, double rate) {
  std::vector<double> prices;
  for (const double gb_s : left) {
    prices.push_back(gb_s * 2 < rate * (1 - kFits) ? 1e9 / rate : 1 / gb_s);
  }
  return costs_at(wires, prices);
}

std::vector<RatedTour> rings_of_rate(const Wires& wires, double rate, double gb_s, bool by_rank) {
  std::vector<double> left = capacities_of(wires);
  std::vector<RatedTour> found;
  double sum = 0;
  while (sum < gb_s && found.size() < kWholeMost) {
    const TourCosts costs = by_rank ? costs_by_rank(wires, left) : costs_of_left(wires, left, rate);
    Tour tour = wires.gpus() <= kExactGpusAlways ? exact_tour(costs) : local_tour(costs);
    if (tour.empty() || !is_open(wires, tour)) return {};
    const WireUse use = use_of(wires, tour);
    if (rate_alone(use, left) < rate * (1 - kFits)) return {};
    for (const auto& [wire, amount] : use) {
      left[static_cast<std::size_t>(wire)] -= amount * rate;
    }
    found.push_back({std::move(tour), rate});
    sum += rate;
  }
  return sum < gb_s ? std::vector<RatedTour>() : found;
}

}  // namespace

std::vector<RatedTour> whole_rings(const Wires& wires, double gb_s) {
  const double unit = unit_of(wires);
  if (unit == 0 || wires.gpus() < 3) return {};
  for (const double rate : {2 * unit, unit}) {
    for (const bool by_rank : {true, false}) {
      auto found = rings_of_rate(wires, rate, gb_s, by_rank);
      if (!found.empty()) return found;
    }
  }
  return {};
}

}  // namespace ringmaster::topology
