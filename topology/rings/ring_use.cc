// SPDX-License-Identifier: Apache-2.0
#include "topology/rings/ring_use.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "topology/rings/simpler_wires.h"

namespace ringmaster::topology {

namespace {

const Route& step_of(const Wires& wires, const Tour& tour, std::size_t at) {
  const int from = tour[at], to = tour[at + 1 == tour.size() ? 0 : at + 1];
  return wires.routes[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
}

/// How a step compares with others: slower ones first, of the same speed longer ones.
struct StepRank {
  double gb_s = 0;
  std::size_t wires = 0;

  bool operator<(const StepRank& other) const {
    return gb_s != other.gb_s ? gb_s > other.gb_s : wires < other.wires;
  }
};

StepRank rank_of(const Route& route, const std::vector<double>& left) {
  if (route.empty()) return {};  // closed
  StepRank rank{std::numeric_limits<double>::infinity(), route.size()};
  for (const Crossing& crossing : route) {
    rank.gb_s = std::min(rank.gb_s, left[static_cast<std::size_t>(crossing.wire)]);
  }
  return rank;
}

}  // namespace

WireUse use_of(const Wires& wires, const Tour& tour) {
  WireUse use;
  for (std::size_t at = 0; at < tour.size(); ++at) {
    for (const Crossing& crossing : step_of(wires, tour, at)) use.emplace_back(crossing.wire, 0.5);
  }
  std::sort(use.begin(), use.end());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < use.size(); ++i) {
    if (kept > 0 && use[kept - 1].first == use[i].first) {
      use[kept - 1].second += use[i].second;
    } else {
      use[kept++] = use[i];
    }
  }
  use.resize(kept);
  return use;
}

bool is_balanced(const Wires& wires, const Tour& tour) {
  std::map<int, int> ups;
  for (std::size_t at = 0; at < tour.size(); ++at) {
    for (const Crossing& crossing : step_of(wires, tour, at)) {
      ups[crossing.wire] += crossing.up ? 1 : -1;
    }
  }
  return std::all_of(ups.begin(), ups.end(), [](const auto& wire) { return wire.second == 0; });
}

bool is_linked(const Wires& wires, const Tour& tour) {
  for (std::size_t at = 0; at < tour.size(); ++at) {
    if (!is_linked(wires, step_of(wires, tour, at))) return false;
  }
  return true;
}

bool is_open(const Wires& wires, const Tour& tour) {
  for (std::size_t at = 0; at < tour.size(); ++at) {
    if (step_of(wires, tour, at).empty()) return false;
  }
  return true;
}

double rate_alone(const WireUse& use, const std::vector<double>& left) {
  double rate = std::numeric_limits<double>::infinity();
  for (const auto& [wire, amount] : use) {
    rate = std::min(rate, left[static_cast<std::size_t>(wire)] / amount);
  }
  return rate;
}

std::vector<double> capacities_of(const Wires& wires) {
  std::vector<double> capacities;
  for (const Wire& wire : wires.wires) capacities.push_back(wire.gb_s);
  return capacities;
}

TourCosts costs_at(const Wires& wires, const std::vector<double>& prices) {
  TourCosts costs(wires.gpus());
  for (std::size_t i = 0; i < wires.gpus(); ++i) {
    for (std::size_t j = i + 1; j < wires.gpus(); ++j) {
      double sum = wires.routes[i][j].empty() ? std::numeric_limits<double>::infinity() : 0;
      for (const Crossing& crossing : wires.routes[i][j]) {
        // Rounding may leave a little less than nothing.
        sum += std::max(0.0, prices[static_cast<std::size_t>(crossing.wire)]) / 2;
      }
      costs.at(i, j) = costs.at(j, i) = sum;
    }
  }
  return costs;
}

TourCosts costs_by_rank(const Wires& wires, const std::vector<double>& left) {
  const std::size_t count = wires.gpus();
  std::map<StepRank, double> costs_of;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = i + 1; j < count; ++j) costs_of[rank_of(wires.routes[i][j], left)] = 0;
  }
  // A whole tour of one rank is cheaper than one step of the next.
  double cost = 1;
  for (auto& [rank, own] : costs_of) {
    own = rank.wires == 0 ? std::numeric_limits<double>::infinity() : cost;
    if (cost < 1e280) cost *= static_cast<double>(count + 1);
  }
  TourCosts costs(count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = i + 1; j < count; ++j) {
      costs.at(i, j) = costs.at(j, i) = costs_of[rank_of(wires.routes[i][j], left)];
    }
  }
  return costs;
}

}  // namespace ringmaster::topology
