// SPDX-License-Identifier: Apache-2.0
#include "topology/show/picture/islands.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "topology/show/picture/row_links.h"

namespace ringmaster::topology {

namespace {

constexpr std::size_t kOrderedMost = 24;  // above, the order of a circle is that of the numbers

/// Short ways for fast links, and neighbours of one NUMA node.
class CircleOrder {
 public:
  CircleOrder(const Topology& machine, const Wires& wires, std::vector<std::size_t> gpus)
      : gpus_(std::move(gpus)), weights_(gpus_.size() * gpus_.size()) {
    double fastest = 1e-9;
    for (const LinkedPair& pair : linked_pairs(wires)) {
      fastest = std::max(fastest, wires.wires[static_cast<std::size_t>(pair.wire)].gb_s);
    }
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
      for (std::size_t j = 0; j < gpus_.size(); ++j) {
        const Wire* wire = direct_link(wires, gpus_[i], gpus_[j]);
        const double link = wire != nullptr ? wire->gb_s / fastest : 0;
        const auto& numa = machine.gpus[gpus_[i]].numa;
        const bool near = numa && numa == machine.gpus[gpus_[j]].numa;
        weights_[i * gpus_.size() + j] = link + (near ? kNear : 0);
      }
    }
  }

  std::vector<std::size_t> find() const {
    std::vector<std::size_t> order(gpus_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    if (order.size() > 3 && order.size() <= kOrderedMost) improve(order);
    std::rotate(order.begin(), std::find(order.begin(), order.end(), 0U), order.end());
    if (order.size() > 2 && order.back() < order[1]) std::reverse(order.begin() + 1, order.end());
    for (std::size_t& place : order) place = gpus_[place];
    return order;
  }

 private:
  static constexpr double kNear = 0.4;

  double cost(const std::vector<std::size_t>& order) const {
    const std::size_t count = order.size();
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = i + 1; j < count; ++j) {
        const double turn = std::numbers::pi * static_cast<double>(j - i);
        sum += weights_[order[i] * count + order[j]] * std::sin(turn / static_cast<double>(count));
      }
    }
    return sum;
  }

  /// Swaps two, or turns a part around, while that makes it cheaper.
  void improve(std::vector<std::size_t>& order) const {
    double least = cost(order);
    for (bool better = true; better;) {
      better = false;
      for (std::size_t i = 0; i < order.size(); ++i) {
        for (std::size_t j = i + 1; j < order.size(); ++j) {
          for (const bool swap : {true, false}) {
            std::vector<std::size_t> other = order;
            const auto first = other.begin() + static_cast<std::ptrdiff_t>(i);
            const auto last = other.begin() + static_cast<std::ptrdiff_t>(j);
            if (swap) {
              std::iter_swap(first, last);
            } else {
              std::reverse(first, last + 1);
            }
            const double own = cost(other);
            if (own > least - 1e-9) continue;
            least = own;
            order = std::move(other);
            better = true;
          }
        }
      }
    }
  }

  const std::vector<std::size_t> gpus_;
  std::vector<double> weights_;
};

double radius_for(std::size_t gpus) {
  if (gpus == 1) return 0;
  if (gpus == 2) return 95;
  constexpr double kApart = 104;  // of neighbours
  const double half_turn = std::numbers::pi / static_cast<double>(gpus);
  return std::max({120.0, kApart / (2 * std::sin(half_turn)), 27.0 * static_cast<double>(gpus)});
}

Spot spot_on_circle(const Island& island, std::size_t place) {
  const auto count = static_cast<double>(island.gpus.size());
  // Two stand side by side; more have a flat top.
  const double turn = (static_cast<double>(place) + (count == 2 ? 1.5 : 0.5)) / count - 0.25;
  const double angle = 2 * std::numbers::pi * turn;
  return {island.radius * std::cos(angle), island.radius * std::sin(angle)};
}

}  // namespace

std::vector<Island> find_islands(const Topology& machine, const Wires& wires) {
  std::vector<std::size_t> first(wires.gpus());
  for (std::size_t i = 0; i < first.size(); ++i) first[i] = i;
  for (const LinkedPair& pair : linked_pairs(wires)) {
    // Copies: a value of the list would change below.
    const std::size_t low = std::min(first[pair.a], first[pair.b]);
    const std::size_t high = std::max(first[pair.a], first[pair.b]);
    std::replace(first.begin(), first.end(), high, low);
  }
  std::vector<Island> islands;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i] != i) continue;
    std::vector<std::size_t> members;
    for (std::size_t j = i; j < first.size(); ++j) {
      if (first[j] == i) members.push_back(j);
    }
    const double radius = radius_for(members.size());
    islands.push_back({CircleOrder(machine, wires, std::move(members)).find(), radius});
  }
  return islands;
}

bool has_islands(const Topology& machine, const std::vector<Island>& islands) {
  return machine.fabric != Fabric::switched &&
         std::any_of(islands.begin(), islands.end(),
                     [](const Island& island) { return island.gpus.size() > 2; });
}

IslandPlan place_islands(const std::vector<Island>& islands, std::size_t gpus) {
  constexpr double kMargin = 90, kWidest = 1500;
  // Every other one is lower: ways between two would lie on links of the next otherwise.
  constexpr double kLower = 58;
  IslandPlan plan{std::vector<Spot>(gpus), 0, 0};
  double left = 0, top = 0, row_height = 0;
  int in_row = 0;
  for (const Island& island : islands) {
    const double width = 2 * island.radius + kIslandGpuWidth;
    const double height =
        island.gpus.size() <= 2 ? kIslandGpuHeight : 2 * island.radius + kIslandGpuHeight;
    if (left > 0 && left + width > kWidest) {
      top += row_height + kMargin;
      left = row_height = 0;
      in_row = 0;
    }
    const double lower = in_row++ % 2 == 0 ? 0 : kLower;
    for (std::size_t i = 0; i < island.gpus.size(); ++i) {
      const Spot on = spot_on_circle(island, i);
      plan.spots[island.gpus[i]] = {left + width / 2 + on.x, top + lower + height / 2 + on.y};
    }
    left += width + kMargin;
    row_height = std::max(row_height, lower + height);
    plan.width = std::max(plan.width, left - kMargin);
  }
  plan.height = top + row_height;
  return plan;
}

}  // namespace ringmaster::topology
