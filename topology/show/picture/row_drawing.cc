// SPDX-License-Identifier: Apache-2.0
#include "topology/show/picture/row_drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "topology/numbers.h"
#include "topology/show/picture/row_heights.h"

namespace ringmaster::topology {

namespace {

constexpr double kThickestPcie = 12, kThinnestLink = 1.5;

class RowDrawer {
 public:
  RowDrawer(Canvas& canvas, const Topology& machine, const Rows& rows, const Spot& corner,
            double scale)
      : canvas_(canvas), machine_(machine), rows_(rows), corner_(corner), scale_(scale) {}

  Box draw(const Wires& wires, const std::vector<Ring>& rings) {
    if (rows_.nodes.empty()) return {corner_.x, corner_.y, 0, 0};
    routed_ = route_rings(rows_, wires, rings, scale_);
    placed_ = place_heights(rows_, routed_, corner_);
    for (std::size_t i = 0; i < rows_.nodes.size(); ++i)
      draw_links(rows_.nodes[i], placed_.boxes[i]);
    for (std::size_t i = 0; i < rows_.nodes.size(); ++i)
      draw_node(rows_.nodes[i], placed_.boxes[i]);
    for (std::size_t i = 0; i < routed_.rings.size(); ++i) draw_ring(routed_.rings[i], i);
    return {corner_.x, corner_.y, rows_.width, placed_.bottom - corner_.y};
  }

 private:
  double thickness(const Speed& speed) const {
    return std::clamp(speed.gb_s * scale_, kThinnestLink, kThickestLink);
  }

  const Box& box_at(int node) const { return placed_.boxes[static_cast<std::size_t>(node)]; }

  void draw_links(const RowNode& node, const Box& own) {
    const double x = corner_.x + node.x;
    if (node.below >= 0) {
      // A line for each of two adapters.
      constexpr double kApart = 9;
      const bool two = node.kind == RowKind::nics && node.devices.size() == 2;
      for (const double aside : two ? std::vector<double>{-kApart, kApart} : std::vector{0.0}) {
        canvas_.add(Layer::links,
                    Stroke{{{x + aside, own.bottom()}, {x + aside, box_at(node.below).y}},
                           kLinkGrey,
                           thickness(node.down)});
      }
    }
    if (node.above >= 0 && rows_.at(node.above).kind == RowKind::nvswitch) {
      canvas_.add(
          Layer::links,
          Stroke{{{x, own.y}, {x, box_at(node.above).bottom()}}, kLinkGrey, thickness(node.up)});
    }
    if (node.kind == RowKind::bridge) {
      const double wide = thickness(rows_.at(node.children.front()).up);
      const double y = bridge_line(own), end = placed_.frame_top + kFrameEdge + 4;  // in the GPUs
      canvas_.add(
          Layer::links,
          Stroke{
              {{own.x, end}, {own.x, y}, {own.right(), y}, {own.right(), end}}, kLinkGrey, wide});
    }
  }

  void draw_node(const RowNode& node, const Box& own) {
    switch (node.kind) {
      case RowKind::gpu:
        canvas_.add(Layer::boxes, Plate{own, kGpuFill, "", 6});
        canvas_.add({{own.middle(), own.y + own.height / 2 + 4},
                     elided(node.name, 13, true, own.width - 4),
                     13,
                     Anchor::middle,
                     true,
                     "#ffffff"});
        break;
      case RowKind::nics:
        draw_nics(node, own);
        break;
      case RowKind::pcie_switch:
        draw_bar(own, "#eef1f4", "#aab3be");
        draw_name(node, own, {"PCIe switch " + node.name, node.name, "PCIe switch", "switch"});
        break;
      case RowKind::processor:
        draw_frame(own);
        draw_bar(own, "#dfe5ec", "#8e99a6");
        draw_name(node, own, processor_names(node));
        break;
      case RowKind::sockets:
        draw_bar(own, "#f5f6f8", "#c3c9d1");
        draw_name(node, own, {node.name});
        break;
      case RowKind::nvswitch:
        draw_bar(own, "#e3eaf6", "#8ea3c4");
        canvas_.add(
            {{own.x + kBarLabelInset, own.y + 14}, node.name, 11, Anchor::start, true, kSoftInk});
        break;
      case RowKind::bridge:
        canvas_.add({{own.middle(), own.y + 12}, node.name, 11, Anchor::middle, false, kSoftInk});
        break;
    }
  }

  void draw_frame(const Box& bar) {
    const double left = bar.x - kFrameEdge, width = bar.width + 2 * kFrameEdge;
    canvas_.add(Layer::frames,
                Plate{{left, placed_.frame_top, width, placed_.frame_bottom - placed_.frame_top},
                      "#fafbfc",
                      "#c3c9d1",
                      10});
  }

  std::vector<std::string> processor_names(const RowNode& node) const {
    std::vector<std::string> names = {node.name};
    for (const NumaNode& numa : machine_.nodes) {
      if (numa.cpus.empty() || node.name != fmt::format("NUMA node {}", numa.id)) continue;
      names.insert(names.begin(),
                   fmt::format("{}, processors {}", node.name, cpu_list_text(numa.cpus)));
    }
    return names;
  }

  void draw_bar(const Box& box, const char* fill, const char* edge) {
    canvas_.add(Layer::frames, Plate{box, fill, edge, 5});
  }

  /// How far from the middle of its link down a bar is taken by strands.
  double strands_reach(const RowNode& node) const {
    double reach = thickness(node.down) / 2;
    for (const RowRing& ring : routed_.rings) {
      for (const RingLeg& leg : ring.legs) {
        if (leg.above || &rows_.at(leg.node) != &node) continue;
        reach = std::max(reach, std::abs(leg.x - node.x) + ring.width / 2);
      }
    }
    return reach;
  }

  /// The first name that fits between the left end of a bar and its link; rings turn above it.
  void draw_name(const RowNode& node, const Box& box, const std::vector<std::string>& names) {
    constexpr double kSize = 11, kNarrow = 64;
    const double end = node.below < 0 ? box.right() : corner_.x + node.x - strands_reach(node);
    const double room = end - box.x - 2 * kBarLabelInset;
    std::string chosen;
    for (const std::string& name : names) {
      if (chosen.empty() && label_width(name, kSize, false) <= room) chosen = name;
    }
    if (chosen.empty() && room > kNarrow) chosen = elided(names.back(), kSize, false, room);
    if (chosen.empty()) return;
    canvas_.add({{box.x + kBarLabelInset, box.bottom() - 5},
                 chosen,
                 kSize,
                 Anchor::start,
                 false,
                 kSoftInk});
  }

  void draw_nics(const RowNode& node, const Box& own) {
    const double height = own.height / 2;
    for (std::size_t i = 0; i < node.devices.size(); ++i) {
      const Nic& nic = machine_.nics[node.devices[i]];
      const double y =
          node.devices.size() == 1 ? own.y + height : own.y + height * static_cast<double>(i);
      const Box box{own.x, y + 1, own.width, height - 2};
      canvas_.add(Layer::boxes, Plate{box, "#ffffff", "#5d6672", 4});
      const bool told = nic.speed_mbit_s.has_value();
      canvas_.add({{box.middle(), box.y + (told ? 11.5 : 16.5)},
                   elided(nic.name, 10, true, box.width - 8),
                   10,
                   Anchor::middle,
                   true,
                   kInk});
      if (!told) continue;
      canvas_.add({{box.middle(), box.y + 22.5},
                   fmt::format("{:g} Gbit/s", *nic.speed_mbit_s / 1000.0),
                   9,
                   Anchor::middle,
                   false,
                   kSoftInk});
    }
  }

  /// The height at which a ring turns to its next link.
  double turn_of(const RingLeg& leg) const {
    const auto up = [](const Box& box) { return box.y + box.height / 2; };
    if (leg.bar < 0) return up(box_at(leg.node));
    const RowNode& bar = rows_.at(leg.bar);
    const Box& box = box_at(leg.bar);
    const double lane = (leg.lane + 0.5) * routed_.lane_height;
    if (bar.kind == RowKind::bridge) {
      const int lanes = routed_.lanes[static_cast<std::size_t>(leg.bar)];
      return bridge_line(box) + lane - lanes * routed_.lane_height / 2;
    }
    if (bar.kind == RowKind::nvswitch) return box.bottom() - 2 - lane;
    return box.y + 2 + lane;
  }

  void draw_ring(const RowRing& ring, std::size_t number) {
    Stroke stroke{{}, ring_colour(number), ring.width, true};
    for (std::size_t i = 0; i < ring.legs.size(); ++i) {
      const RingLeg& leg = ring.legs[i];
      const RingLeg& next = ring.legs[(i + 1) % ring.legs.size()];
      const double y = turn_of(leg);
      stroke.points.push_back({corner_.x + leg.x, y});
      stroke.points.push_back({corner_.x + next.x, y});
    }
    canvas_.add(Layer::rings, stroke);
  }

  Canvas& canvas_;
  const Topology& machine_;
  const Rows& rows_;
  const Spot corner_;
  const double scale_;
  RowRings routed_;
  RowHeights placed_;
};

}  // namespace

double row_link_scale(const Rows& rows) {
  double fastest = 1;
  const bool linked = std::any_of(rows.nodes.begin(), rows.nodes.end(),
                                  [](const RowNode& node) { return node.above >= 0; });
  for (const RowNode& node : rows.nodes) {
    fastest = std::max({fastest, node.below >= 0 ? node.down.gb_s : 0, node.up.gb_s});
  }
  return (linked ? kThickestLink : kThickestPcie) / fastest;
}

Box draw_rows(Canvas& canvas, const Topology& machine, const Rows& rows, const Wires& wires,
              const std::vector<Ring>& rings, const Spot& corner, double scale) {
  return RowDrawer(canvas, machine, rows, corner, scale).draw(wires, rings);
}

}  // namespace ringmaster::topology
