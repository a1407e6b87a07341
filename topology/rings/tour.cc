// SPDX-License-Identifier: Apache-2.0
#include "topology/rings/tour.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace ringmaster::topology {

namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();
/// Costs are sums in different orders: a smaller part of them is no gain, but rounding.
constexpr double kGain = 1e-12;

constexpr int kChangesMost = 10'000;  // of one local search: each makes the tour cheaper

bool is_cheaper(double one, double other) {
  return one < other * (1 - kGain);
}

/// Least costs of ways from the first GPU through a set of the others to one of it. The others are
/// numbered from 0, the first GPU has no number.
class TourTable {
 public:
  explicit TourTable(const TourCosts& costs)
      : costs_(costs),
        others_(costs.gpus() - 1),
        ways_(others_),
        table_((std::size_t{1} << others_) * others_) {
    for (std::size_t end = 0; end < others_; ++end) {
      for (std::size_t middle = 0; middle < others_; ++middle) {
        const bool open = middle != end && costs.at(middle + 1, end + 1) < kFar;
        ways_[end] |= open ? std::size_t{1} << middle : 0;
      }
    }
    for (std::size_t set = 1; set < std::size_t{1} << others_; ++set) fill(set);
  }

  Tour best() const {
    Tour tour(others_ + 1, 0);
    std::size_t set = (std::size_t{1} << others_) - 1;
    std::size_t last = 0;
    double least = kFar;
    for (std::size_t end = 0; end < others_; ++end) {
      const double cost = table_[set * others_ + end] + costs_.at(end + 1, 0);
      if (cost < least) {
        least = cost;
        last = end;
      }
    }
    if (least == kFar) return {};
    for (std::size_t at = others_; at > 0; --at) {
      tour[at] = static_cast<int>(last) + 1;
      set &= ~(std::size_t{1} << last);
      if (set != 0) last = before(set, last);
    }
    return tour;
  }

 private:
  void fill(std::size_t set) {
    for (std::size_t end = 0; end < others_; ++end) {
      if ((set >> end & 1) == 0) continue;
      const std::size_t rest = set & ~(std::size_t{1} << end);
      double least = rest == 0 ? costs_.at(0, end + 1) : kFar;
      for (std::size_t left = rest & ways_[end]; left != 0; left &= left - 1) {
        const auto middle = static_cast<std::size_t>(__builtin_ctzll(left));
        least = std::min(least, table_[rest * others_ + middle] + costs_.at(middle + 1, end + 1));
      }
      table_[set * others_ + end] = least;
    }
  }

  /// The end of the way through `set` from which the best way goes on to `next`.
  std::size_t before(std::size_t set, std::size_t next) const {
    std::size_t best = 0;
    double least = kFar;
    for (std::size_t left = set; left != 0; left &= left - 1) {
      const auto middle = static_cast<std::size_t>(__builtin_ctzll(left));
      const double cost = table_[set * others_ + middle] + costs_.at(middle + 1, next + 1);
      if (cost < least) {
        least = cost;
        best = middle;
      }
    }
    return best;
  }

  const TourCosts& costs_;
  const std::size_t others_;
  std::vector<std::size_t> ways_;  // for each of the others: to which of them it may step
  std::vector<double> table_;
};

double step_cost(const TourCosts& costs, const Tour& tour, std::size_t at) {
  const auto next = at + 1 == tour.size() ? 0 : at + 1;
  return costs.at(static_cast<std::size_t>(tour[at]), static_cast<std::size_t>(tour[next]));
}

Tour nearest_tour(const TourCosts& costs, std::size_t start) {
  Tour tour = {static_cast<int>(start)};
  std::vector<bool> passed(costs.gpus());
  passed[start] = true;
  while (tour.size() < costs.gpus()) {
    const auto last = static_cast<std::size_t>(tour.back());
    std::size_t nearest = costs.gpus();
    for (std::size_t next = 0; next < costs.gpus(); ++next) {
      const bool better = nearest == costs.gpus() || costs.at(last, next) < costs.at(last, nearest);
      if (!passed[next] && better) nearest = next;
    }
    passed[nearest] = true;
    tour.push_back(static_cast<int>(nearest));
  }
  return tour;
}

bool improve_by_reversal(const TourCosts& costs, Tour& tour) {
  for (std::size_t i = 0; i + 1 < tour.size(); ++i) {
    for (std::size_t j = i + 1; j < tour.size(); ++j) {
      const auto at = [&](std::size_t place) { return static_cast<std::size_t>(tour[place]); };
      const std::size_t before = (i + tour.size() - 1) % tour.size(), after = (j + 1) % tour.size();
      if (before == j) continue;
      const double old_cost = costs.at(at(before), at(i)) + costs.at(at(j), at(after));
      const double new_cost = costs.at(at(before), at(j)) + costs.at(at(i), at(after));
      if (!is_cheaper(new_cost, old_cost)) continue;
      std::reverse(tour.begin() + static_cast<std::ptrdiff_t>(i),
                   tour.begin() + static_cast<std::ptrdiff_t>(j) + 1);
      return true;
    }
  }
  return false;
}

/// Takes the first `length` places out of the tour and puts them, turned or not, where they cost
/// least; false when that is where they were.
bool improve_by_move(const TourCosts& costs, Tour& tour, std::size_t length) {
  const auto cost = [&](std::size_t a, std::size_t b) {
    return costs.at(static_cast<std::size_t>(tour[a]), static_cast<std::size_t>(tour[b]));
  };
  const std::size_t last = length - 1, end = tour.size() - 1;
  const double closing = cost(end, length), opening = cost(end, 0) + cost(last, length);
  for (std::size_t to = length; to < end; ++to) {
    const double as_is = cost(to, 0) + cost(last, to + 1),
                 turned = cost(to, last) + cost(0, to + 1);
    if (!is_cheaper(std::min(as_is, turned) + closing, opening + cost(to, to + 1))) continue;
    const auto begin = tour.begin(), cut = begin + static_cast<std::ptrdiff_t>(length);
    if (turned < as_is) std::reverse(begin, cut);
    std::rotate(begin, cut, begin + static_cast<std::ptrdiff_t>(to) + 1);
    return true;
  }
  return false;
}

/// Tries it from each place of the tour.
bool improve_by_moves(const TourCosts& costs, Tour& tour) {
  constexpr std::size_t kLongest = 3;
  for (std::size_t from = 0; from < tour.size(); ++from) {
    std::rotate(tour.begin(), tour.begin() + 1, tour.end());
    for (std::size_t length = 1; length <= kLongest && length + 3 <= tour.size(); ++length) {
      if (improve_by_move(costs, tour, length)) return true;
    }
  }
  return false;
}

}  // namespace

double tour_cost(const TourCosts& costs, const Tour& tour) {
  double sum = 0;
  for (std::size_t at = 0; at < tour.size(); ++at) sum += step_cost(costs, tour, at);
  return sum;
}

Tour exact_tour(const TourCosts& costs) {
  CHECK(costs.gpus() <= kExactGpusMost);
  if (costs.gpus() < 2) return Tour(costs.gpus());
  return TourTable(costs).best();
}

double exact_tour_steps(const TourCosts& costs) {
  std::size_t ways = 0;
  for (std::size_t a = 1; a < costs.gpus(); ++a) {
    for (std::size_t b = 1; b < costs.gpus(); ++b) ways += a != b && costs.at(a, b) < kFar ? 1 : 0;
  }
  // Each set holds half of the ends and half of what leads to each.
  return std::ldexp(static_cast<double>(ways), static_cast<int>(costs.gpus()) - 3);
}

Tour local_tour(const TourCosts& costs) {
  if (costs.gpus() > kSearchedGpusMost) return nearest_tour(costs, 0);
  Tour best;
  for (std::size_t start = 0; start < costs.gpus(); ++start) {
    Tour tour = nearest_tour(costs, start);
    int left = kChangesMost;
    while (--left > 0 && (improve_by_reversal(costs, tour) || improve_by_moves(costs, tour))) {
    }
    if (best.empty() || is_cheaper(tour_cost(costs, tour), tour_cost(costs, best))) {
      best = std::move(tour);
    }
  }
  return best;
}

}  // namespace ringmaster::topology
