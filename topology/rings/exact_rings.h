// SPDX-License-Identifier: Apache-2.0
//
// For tests: searches that try everything, to hold the fast one against. Header only.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "topology/rings/ring_use.h"
#include "topology/rings/wires.h"

namespace ringmaster::topology {

/// The most directed rings of one link each over links between two GPUs alone.
struct ExactRings {
  int rings = 0;
  bool complete = true;  // false: the search was cut off, there may be more
};

class ExactSearch {
 public:
  ExactSearch(const Wires& wires, double link_gb_s) : count_(wires.gpus()) {
    left_.assign(count_ * count_, 0);
    for (std::size_t i = 0; i < count_; ++i) {
      for (std::size_t j = 0; j < count_; ++j) {
        if (wires.routes[i][j].size() != 1) continue;
        const auto wire = static_cast<std::size_t>(wires.routes[i][j].front().wire);
        left_[i * count_ + j] = static_cast<int>(wires.wires[wire].gb_s / link_gb_s + 0.5);
      }
    }
    std::vector<std::size_t> way = {0};
    list_rings(way);
  }

  ExactRings run() {
    search(0, 0);
    return {best_, steps_ < kStepsMost};
  }

 private:
  static constexpr int kStepsMost = 200'000;

  void list_rings(std::vector<std::size_t>& way) {
    if (way.size() == count_) {
      if (left_[way.back() * count_] > 0) rings_.push_back(way);
      return;
    }
    for (std::size_t next = 1; next < count_; ++next) {
      if (left_[way.back() * count_ + next] == 0) continue;
      if (std::find(way.begin(), way.end(), next) != way.end()) continue;
      way.push_back(next);
      list_rings(way);
      way.pop_back();
    }
  }

  /// Rings leave every GPU once: no more can follow than the fewest links that one has left.
  int most_left() const {
    int most = 1 << 20;
    for (std::size_t i = 0; i < count_; ++i) {
      const auto row = left_.begin() + static_cast<std::ptrdiff_t>(i * count_);
      most = std::min(most, std::accumulate(row, row + static_cast<std::ptrdiff_t>(count_), 0));
    }
    return most;
  }

  void change(const std::vector<std::size_t>& ring, int by) {
    for (std::size_t i = 0; i < count_; ++i) left_[ring[i] * count_ + ring[(i + 1) % count_]] += by;
  }

  bool fits(const std::vector<std::size_t>& ring) const {
    for (std::size_t i = 0; i < count_; ++i) {
      if (left_[ring[i] * count_ + ring[(i + 1) % count_]] == 0) return false;
    }
    return true;
  }

  void search(std::size_t first, int taken) {
    best_ = std::max(best_, taken);
    if (taken + most_left() <= best_) return;
    for (std::size_t i = first; i < rings_.size() && ++steps_ < kStepsMost; ++i) {
      if (!fits(rings_[i])) continue;
      change(rings_[i], -1);
      search(i, taken + 1);
      change(rings_[i], 1);
    }
  }

  const std::size_t count_;
  std::vector<int> left_;  // links, by direction
  std::vector<std::vector<std::size_t>> rings_;
  int best_ = 0, steps_ = 0;
};

inline ExactRings count_exact_rings(const Wires& wires, double link_gb_s) {
  return ExactSearch(wires, link_gb_s).run();
}

/// The rate of the best single ring.
inline double best_rate_of_all_orders(const Wires& wires) {
  Tour order(wires.gpus());
  std::iota(order.begin(), order.end(), 0);
  const std::vector<double> whole = capacities_of(wires);
  double best = 0;
  do {
    best = std::max(best, rate_alone(use_of(wires, order), whole));
  } while (std::next_permutation(order.begin() + 1, order.end()));
  return best;
}

}  // namespace ringmaster::topology
