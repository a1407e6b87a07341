// SPDX-License-Identifier: Apache-2.0
#include "topology/show/picture/row_heights.h"

#include <algorithm>

namespace ringmaster::topology {

namespace {

constexpr double kRowHeight = 56, kLinkLength = 26, kLabelStrip = 18, kBridgeLabel = 18;

bool is_below_row(RowKind kind) {
  return kind == RowKind::pcie_switch || kind == RowKind::processor || kind == RowKind::sockets;
}

class HeightPlacer {
 public:
  HeightPlacer(const Rows& rows, const RowRings& rings) : rows_(rows), rings_(rings) {}

  RowHeights place(const Spot& corner) {
    const double top = corner.y;
    double y = top;
    const bool switched =
        std::any_of(rows_.nodes.begin(), rows_.nodes.end(),
                    [](const RowNode& node) { return node.kind == RowKind::nvswitch; });
    const double switch_height = bar_height(false, 0);
    const double bridge_height = kBridgeLabel + kThickestLink + 4 + rings_.lane_height;
    if (switched) y += switch_height + kLinkLength;
    if (rows_.bridges > 0) y += rows_.bridges * bridge_height + kLinkLength / 2;
    placed_.frame_top = y;
    const double row = y + kFrameEdge;
    place_levels(row + kRowHeight + kLinkLength);
    for (const RowNode& node : rows_.nodes) {
      Box box{corner.x + node.left, row, node.right - node.left, kRowHeight};
      if (is_below_row(node.kind)) {
        box.y = tops_[static_cast<std::size_t>(node.level)];
        box.height = bar_height(true, node.level);
      } else if (node.kind == RowKind::nvswitch) {
        box.y = top;
        box.height = switch_height;
      } else if (node.kind == RowKind::bridge) {
        box.y = placed_.frame_top - kLinkLength / 2 - node.level * bridge_height;
        box.height = bridge_height;
      }
      placed_.bottom = std::max(placed_.bottom, box.bottom());
      placed_.boxes.push_back(box);
    }
    return std::move(placed_);
  }

 private:
  /// Of a level below the row, or of the switches above it.
  double bar_height(bool below, int level) const {
    int lanes = 0;
    for (std::size_t i = 0; i < rows_.nodes.size(); ++i) {
      const RowNode& node = rows_.nodes[i];
      const bool same =
          below ? is_below_row(node.kind) && node.level == level : node.kind == RowKind::nvswitch;
      if (same) lanes = std::max(lanes, rings_.lanes[i]);
    }
    return kLabelStrip + lanes * rings_.lane_height + (lanes > 0 ? 4 : 0);
  }

  /// The processors are the last level of their frames; what joins them lies below those.
  void place_levels(double y) {
    tops_.assign(static_cast<std::size_t>(rows_.levels) + 2, 0);
    for (int level = 1; level <= rows_.levels + 1; ++level) {
      tops_[static_cast<std::size_t>(level)] = y;
      y += bar_height(true, level) + kLinkLength;
      if (level == rows_.levels) placed_.frame_bottom = y - kLinkLength + kFrameEdge;
    }
    placed_.bottom = placed_.frame_bottom;
  }

  const Rows& rows_;
  const RowRings& rings_;
  std::vector<double> tops_;  // of each level
  RowHeights placed_;
};

}  // namespace

RowHeights place_heights(const Rows& rows, const RowRings& rings, const Spot& corner) {
  return HeightPlacer(rows, rings).place(corner);
}

double bridge_line(const Box& bridge) {
  return bridge.y + kBridgeLabel + kThickestLink / 2;
}

}  // namespace ringmaster::topology
