// SPDX-License-Identifier: Apache-2.0
#include "topology/show/picture/row_rings.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace ringmaster::topology {

namespace {

constexpr double kStrandMin = 2, kStrandGap = 1.5;

class RowRouter {
 public:
  RowRouter(const Rows& rows, const Wires& wires) : rows_(rows), wires_(wires) {
    found_.lanes.assign(rows.nodes.size(), 0);
  }

  RowRings route(const std::vector<Ring>& rings, double width_of_gb_s) {
    for (const Ring& ring : rings) {
      RowRing own;
      // A link carries as much in each direction: half of its width is for one of them.
      own.width = std::max(kStrandMin, ring.gb_s * width_of_gb_s / 2);
      for (std::size_t i = 0; i < ring.order.size(); ++i) {
        add_step(ring.order[i], ring.order[(i + 1) % ring.order.size()], own);
      }
      found_.lane_height = std::max(found_.lane_height, own.width + 2 * kStrandGap);
      found_.rings.push_back(std::move(own));
    }
    place_strands();
    place_lanes();
    return std::move(found_);
  }

 private:
  struct LegName {
    std::size_t ring = 0, leg = 0;
  };

  RingLeg& leg(const LegName& name) { return found_.rings[name.ring].legs[name.leg]; }
  const RingLeg& next_leg(const LegName& name) const {
    const auto& legs = found_.rings[name.ring].legs;
    return legs[(name.leg + 1) % legs.size()];
  }

  void add_step(int from, int to, RowRing& ring) const {
    const auto a = static_cast<std::size_t>(from), b = static_cast<std::size_t>(to);
    const int start = rows_.of_gpu[a], end = rows_.of_gpu[b];
    const Route& route = wires_.routes[a][b];
    const bool linked = std::all_of(route.begin(), route.end(), [&](const Crossing& crossing) {
      return wires_.wires[static_cast<std::size_t>(crossing.wire)].link;
    });
    const int top = rows_.at(start).above;
    if (linked && top >= 0 && top == rows_.at(end).above) {
      ring.legs.push_back({start, true, 0, top});
      ring.legs.push_back({end, true});
      return;
    }
    std::vector<int> up = line_of(start), down = line_of(end);
    while (up.size() > 1 && down.size() > 1 && up[up.size() - 2] == down[down.size() - 2]) {
      up.pop_back();
      down.pop_back();
    }
    for (std::size_t i = 0; i + 1 < up.size(); ++i)
      ring.legs.push_back({up[i], false, 0, up[i + 1]});
    for (std::size_t i = down.size() - 1; i > 0; --i) {
      ring.legs.push_back({down[i - 1], false, 0, i > 1 ? down[i - 1] : -1});
    }
  }

  /// The GPU and the bars below it.
  std::vector<int> line_of(int node) const {
    std::vector<int> line;
    for (; node >= 0; node = rows_.at(node).below) line.push_back(node);
    return line;
  }

  /// Where a strand goes on beyond the bar that its link leads to, or else at the link's own end:
  /// the first place to the left or right.
  double other_x(const LegName& name, bool beyond = true) {
    const RingLeg& own = leg(name);
    const double from = rows_.at(own.node).x;
    const bool out = (own.bar >= 0 && own.bar != own.node) == beyond;
    LegName at = name;
    const std::size_t count = found_.rings[name.ring].legs.size();
    for (std::size_t i = 1; i < count; ++i) {
      at.leg = (name.leg + (out ? i : count - i)) % count;
      const double x = rows_.at(leg(at).node).x;
      if (std::abs(x - from) > 1) return x;
    }
    return from;
  }

  /// Side by side on each link, by where they come from and go to.
  void place_strands() {
    std::map<std::pair<int, bool>, std::vector<LegName>> links;
    for (std::size_t ring = 0; ring < found_.rings.size(); ++ring) {
      for (std::size_t i = 0; i < found_.rings[ring].legs.size(); ++i) {
        const RingLeg& own = found_.rings[ring].legs[i];
        links[{own.node, own.above}].push_back({ring, i});
      }
    }
    for (auto& [end, legs] : links) {
      const int node = end.first;
      const double own_x = rows_.at(node).x;
      std::stable_sort(legs.begin(), legs.end(), [&](const LegName& a, const LegName& b) {
        const double x = other_x(a), y = other_x(b);
        // Those to the left, then those to the right; of either the farthest first, whose lane is
        // behind those of the others. Of two to the same place: as they come to a bar, and from a
        // GPU the first at one end is last at the other.
        if ((x < own_x) != (y < own_x)) return x < y;
        if (x != y) return x > y;
        if (rows_.at(node).kind != RowKind::gpu) return other_x(a, false) < other_x(b, false);
        const auto first = std::pair(a.ring, a.leg), second = std::pair(b.ring, b.leg);
        return x < own_x ? first > second : first < second;
      });
      double width = -kStrandGap;
      for (const LegName& name : legs) width += found_.rings[name.ring].width + kStrandGap;
      double x = rows_.at(node).x - width / 2;
      for (const LegName& name : legs) {
        const double own = found_.rings[name.ring].width;
        leg(name).x = x + own / 2;
        x += own + kStrandGap;
      }
    }
  }

  void place_lanes() {
    struct Passage {
      LegName name;
      double left = 0, right = 0;
    };
    std::map<int, std::vector<Passage>> bars;
    for (std::size_t ring = 0; ring < found_.rings.size(); ++ring) {
      for (std::size_t i = 0; i < found_.rings[ring].legs.size(); ++i) {
        const LegName name{ring, i};
        if (leg(name).bar < 0) continue;
        const double from = leg(name).x, to = next_leg(name).x;
        const double edge = found_.rings[ring].width / 2 + kStrandGap * 0.4;
        bars[leg(name).bar].push_back({name, std::min(from, to) - edge, std::max(from, to) + edge});
      }
    }
    for (auto& [bar, passages] : bars) {
      std::stable_sort(passages.begin(), passages.end(), [](const Passage& a, const Passage& b) {
        return a.right - a.left < b.right - b.left;
      });
      std::vector<std::vector<Passage>> lanes;
      for (const Passage& passage : passages) {
        const auto is_free = [&](const std::vector<Passage>& lane) {
          return std::none_of(lane.begin(), lane.end(), [&](const Passage& other) {
            return other.left < passage.right && passage.left < other.right;
          });
        };
        auto lane = std::find_if(lanes.begin(), lanes.end(), is_free);
        if (lane == lanes.end()) lane = lanes.insert(lanes.end(), std::vector<Passage>());
        lane->push_back(passage);
        leg(passage.name).lane = static_cast<int>(lane - lanes.begin());
      }
      found_.lanes[static_cast<std::size_t>(bar)] = static_cast<int>(lanes.size());
    }
  }

  const Rows& rows_;
  const Wires& wires_;
  RowRings found_;
};

}  // namespace

RowRings route_rings(const Rows& rows, const Wires& wires, const std::vector<Ring>& rings,
                     double width_of_gb_s) {
  return RowRouter(rows, wires).route(rings, width_of_gb_s);
}

}  // namespace ringmaster::topology
