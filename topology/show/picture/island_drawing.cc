// SPDX-License-Identifier: Apache-2.0
#include "topology/show/picture/island_drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "topology/show/picture/row_links.h"

namespace ringmaster::topology {

namespace {

constexpr double kStrandThin = 2, kStrandApart = 1;

class IslandDrawer {
 public:
  IslandDrawer(Canvas& canvas, const Topology& machine, const Wires& wires,
               const std::vector<Ring>& rings, const IslandPlan& plan, const Spot& corner,
               double scale)
      : canvas_(canvas),
        machine_(machine),
        wires_(wires),
        rings_(rings),
        spots_(plan.spots),
        scale_(scale) {
    for (Spot& spot : spots_) {
      spot.x += corner.x;
      spot.y += corner.y;
    }
  }

  void draw() {
    for (const LinkedPair& pair : linked_pairs(wires_)) draw_link(pair);
    find_strands();
    for (std::size_t i = 0; i < rings_.size(); ++i) draw_ring(i);
    for (std::size_t i = 0; i < spots_.size(); ++i) draw_gpu(i);
    draw_counts();
  }

 private:
  using Pair = std::pair<std::size_t, std::size_t>;  // the lower first

  double strand_width(const Ring& ring) const { return std::max(kStrandThin, ring.gb_s * scale_); }

  void draw_link(const LinkedPair& pair) {
    const double width = wires_.wires[static_cast<std::size_t>(pair.wire)].gb_s * scale_;
    canvas_.add(Layer::links,
                Stroke{{spots_[pair.a], spots_[pair.b]}, kLinkGrey, std::max(1.5, width)});
  }

  Pair step_of(const Ring& ring, std::size_t step) const {
    const auto a = static_cast<std::size_t>(ring.order[step]);
    const auto b = static_cast<std::size_t>(ring.order[(step + 1) % ring.order.size()]);
    return std::minmax(a, b);
  }

  /// How far each ring lies from the middle of each pair that it steps between.
  void find_strands() {
    std::map<Pair, std::vector<std::size_t>> users;
    for (std::size_t i = 0; i < rings_.size(); ++i) {
      // Two GPUs make one step there and one back.
      const std::size_t steps = rings_[i].order.size() == 2 ? 1 : rings_[i].order.size();
      for (std::size_t step = 0; step < steps; ++step) {
        users[step_of(rings_[i], step)].push_back(i);
      }
    }
    for (const auto& [pair, rings] : users) {
      double width = -kStrandApart;
      for (const std::size_t ring : rings) width += strand_width(rings_[ring]) + kStrandApart;
      double at = -width / 2;
      for (const std::size_t ring : rings) {
        const double own = strand_width(rings_[ring]);
        strands_[{pair, ring}] = at + own / 2;
        at += own + kStrandApart;
      }
    }
  }

  bool is_link(const Pair& pair) const {
    return direct_link(wires_, pair.first, pair.second) != nullptr;
  }

  /// Both ends of a ring's strand between two GPUs, moved aside by its place.
  std::pair<Spot, Spot> strand_ends(const Pair& pair, std::size_t ring) const {
    Spot a = spots_[pair.first], b = spots_[pair.second];
    const double length = std::max(1.0, std::hypot(b.x - a.x, b.y - a.y));
    const double aside = strands_.at({pair, ring}) / length;
    const Spot by = {-(b.y - a.y) * aside, (b.x - a.x) * aside};
    return {{a.x + by.x, a.y + by.y}, {b.x + by.x, b.y + by.y}};
  }

  /// One closed line where all its steps are over links; else each step by itself, and those over
  /// PCIe dashed.
  void draw_ring(std::size_t number) {
    const Ring& ring = rings_[number];
    Stroke whole{{}, ring_colour(number), strand_width(ring), true};
    bool all_linked = true;
    for (std::size_t step = 0; step < ring.order.size(); ++step) {
      all_linked = all_linked && is_link(step_of(ring, step));
    }
    for (std::size_t step = 0; step < ring.order.size(); ++step) {
      const Pair pair = step_of(ring, step);
      auto [from, to] = strand_ends(pair, number);
      if (static_cast<std::size_t>(ring.order[step]) != pair.first) std::swap(from, to);
      whole.points.push_back(from);
      whole.points.push_back(to);
      if (all_linked) continue;
      const bool dashed = !is_link(pair);
      canvas_.add(Layer::rings, Stroke{{from, to}, whole.colour, whole.width, false, dashed});
    }
    if (all_linked) canvas_.add(Layer::rings, whole);
  }

  static Box gpu_box(const Spot& spot) {
    return {spot.x - kIslandGpuWidth / 2, spot.y - kIslandGpuHeight / 2, kIslandGpuWidth,
            kIslandGpuHeight};
  }

  void draw_gpu(std::size_t place) {
    const Gpu& gpu = machine_.gpus[place];
    const Spot& spot = spots_[place];
    canvas_.add(Layer::boxes, Plate{gpu_box(spot), kGpuFill, "#ffffff", 6});
    taken_.push_back(gpu_box(spot));
    const double y = gpu.numa ? spot.y - 2 : spot.y + 5;
    canvas_.add({{spot.x, y},
                 elided(fmt::format("GPU{}", gpu.index), 13, true, kIslandGpuWidth - 6),
                 13,
                 Anchor::middle,
                 true,
                 "#ffffff"});
    if (!gpu.numa) return;
    canvas_.add({{spot.x, spot.y + 13},
                 elided(fmt::format("NUMA {}", *gpu.numa), 10, false, kIslandGpuWidth - 6),
                 10,
                 Anchor::middle,
                 false,
                 "#c9d2dd"});
  }

  /// The number of links on those that have several, unless all have as many.
  void draw_counts() {
    const std::vector<LinkedPair> pairs = linked_pairs(wires_);
    const auto parts = [&](const LinkedPair& pair) {
      return wires_.wires[static_cast<std::size_t>(pair.wire)].parts;
    };
    const bool differ = std::any_of(pairs.begin(), pairs.end(), [&](const LinkedPair& pair) {
      return parts(pair) != parts(pairs.front());
    });
    for (const LinkedPair& pair : pairs) {
      if (differ && parts(pair) > 1) draw_count(pair, parts(pair));
    }
  }

  /// Where it covers nothing else, from the middle outwards; nowhere if there is no such place.
  void draw_count(const LinkedPair& pair, int parts) {
    const Spot &a = spots_[pair.a], &b = spots_[pair.b];
    for (const double part : {0.5, 0.44, 0.56, 0.38, 0.62, 0.32, 0.68, 0.28, 0.72}) {
      const Spot at = {a.x + (b.x - a.x) * part, a.y + (b.y - a.y) * part};
      Label label{{at.x, at.y + 4}, fmt::format("{}×", parts), 11, Anchor::middle, true, kInk};
      Box box = box_of(label);
      box = {box.x - 2, box.y - 3, box.width + 4, box.height + 5};
      const bool covers = std::any_of(taken_.begin(), taken_.end(),
                                      [&](const Box& other) { return overlap(box, other); });
      if (covers) continue;
      taken_.push_back(box);
      canvas_.add(Layer::boxes, Plate{box, "#ffffff", kLinkGrey, 6});
      canvas_.add(std::move(label));
      return;
    }
  }

  Canvas& canvas_;
  const Topology& machine_;
  const Wires& wires_;
  const std::vector<Ring>& rings_;
  std::vector<Spot> spots_;
  const double scale_;
  std::map<std::pair<Pair, std::size_t>, double> strands_;
  std::vector<Box> taken_;
};

}  // namespace

double island_link_scale(const Wires& wires) {
  constexpr double kThickestOfIslands = 16, kThickestSum = 72;  // of one link, of all of one GPU
  double fastest = 1;
  std::vector<double> sums(wires.gpus());
  for (const LinkedPair& pair : linked_pairs(wires)) {
    const double gb_s = wires.wires[static_cast<std::size_t>(pair.wire)].gb_s;
    fastest = std::max(fastest, gb_s);
    sums[pair.a] += gb_s;
    sums[pair.b] += gb_s;
  }
  double most = 1;
  for (const double sum : sums) most = std::max(most, sum);
  return std::min(kThickestOfIslands / fastest, kThickestSum / most);
}

Box draw_islands(Canvas& canvas, const Topology& machine, const Wires& wires,
                 const std::vector<Island>& islands, const std::vector<Ring>& rings,
                 const Spot& corner, double scale) {
  const IslandPlan plan = place_islands(islands, machine.gpus.size());
  IslandDrawer(canvas, machine, wires, rings, plan, corner, scale).draw();
  return {corner.x, corner.y, plan.width, plan.height};
}

}  // namespace ringmaster::topology
