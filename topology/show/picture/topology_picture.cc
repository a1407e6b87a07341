// SPDX-License-Identifier: Apache-2.0
#include "topology/show/picture/topology_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "topology/show/notes.h"
#include "topology/show/picture/island_drawing.h"
#include "topology/show/picture/legend.h"
#include "topology/show/picture/row_drawing.h"
#include "topology/show/picture/row_links.h"
#include "topology/show/show.h"

namespace ringmaster::topology {

namespace {

constexpr double kMargin = 28, kTitle = 44, kLegendGap = 40;

class PictureMaker {
 public:
  explicit PictureMaker(const Topology& machine)
      : machine_(machine),
        wires_(find_wires(machine)),
        set_(find_rings(wires_)),
        islands_(find_islands(machine, wires_)),
        meshed_(has_islands(machine, islands_)),
        rows_(place_rows(machine, wires_, !meshed_)),
        scale_(meshed_ ? std::min(island_link_scale(wires_), row_link_scale(rows_))
                       : row_link_scale(rows_)) {
    legend_.rings = shown_rings(set_);
    legend_.drawn = std::min(kRingColours, legend_.rings.size());
    legend_.gb_s = set_.gb_s;
    drawn_.assign(legend_.rings.begin(),
                  legend_.rings.begin() + static_cast<std::ptrdiff_t>(legend_.drawn));
    for (const Ring& ring : drawn_) {
      for (std::size_t i = 0; i < ring.order.size() && meshed_; ++i) {
        const auto from = static_cast<std::size_t>(ring.order[i]);
        const auto to = static_cast<std::size_t>(ring.order[(i + 1) % ring.order.size()]);
        legend_.dashed = legend_.dashed || direct_link(wires_, from, to) == nullptr;
      }
    }
  }

  TopologyPicture make() {
    if (meshed_) add_island_links();
    add_row_links_to_legend();
    std::stable_sort(legend_.links.begin(), legend_.links.end(),
                     [](const LegendLink& a, const LegendLink& b) { return a.gb_s > b.gb_s; });
    const Spot corner{kMargin, kMargin + kTitle};
    if (meshed_) {
      const Box islands =
          draw_islands(picture_.canvas, machine_, wires_, islands_, drawn_, corner, scale_);
      take(islands);
      legend_beside(islands);
      heading("PCIe, processors and network adapters", bottom_ + 30);
      take(
          draw_rows(picture_.canvas, machine_, rows_, wires_, {}, {kMargin, bottom_ + 14}, scale_));
    } else {
      const Box rows = draw_rows(picture_.canvas, machine_, rows_, wires_, drawn_, corner, scale_);
      take(rows);
      legend_beside(rows);
    }
    title();
    bottom_ = std::max(bottom_, kMargin + kTitle / 2);
    picture_.width = right_ + kMargin;
    picture_.height = bottom_ + kMargin;
    return std::move(picture_);
  }

 private:
  void take(const Box& box) {
    right_ = std::max(right_, box.right());
    bottom_ = std::max(bottom_, box.bottom());
  }

  /// To the right of what is high; below what is wide, in two columns.
  void legend_beside(const Box& box) {
    const bool beside = box.width < box.height * 1.9;
    Spot corner = beside ? Spot{box.right() + kLegendGap, box.y} : Spot{kMargin, box.bottom() + 8};
    const Box rings = draw_ring_legend(picture_.canvas, machine_, wires_, legend_, corner);
    take(rings);
    if (beside) {
      corner.y = rings.height > 0 ? rings.bottom() + 10 : corner.y;
    } else {
      corner.x = rings.width > 0 ? rings.right() + kLegendGap : corner.x;
    }
    take(draw_link_legend(picture_.canvas, machine_, legend_, corner));
  }

  void heading(const char* text, double y) {
    picture_.canvas.add({{kMargin, y}, text, 13, Anchor::start, true, kInk});
    bottom_ = std::max(bottom_, y);
  }

  void title() {
    std::string names;
    for (const Gpu& gpu : machine_.gpus) {
      if (names.empty()) names = gpu.name;
      if (gpu.name != names) names = "";
    }
    std::string text = summary_text(machine_);
    while (!text.empty() && text.back() == '\n') text.pop_back();
    picture_.name = names.empty() ? text : names + ": " + text;
    right_ = std::max(right_, kMargin + 420);
    const double width = right_ - kMargin;
    picture_.canvas.add({{kMargin, kMargin + 16},
                         elided(picture_.name, 18, true, width),
                         18,
                         Anchor::start,
                         true,
                         kInk});
  }

  void add_legend_link(const LegendLink& link) {
    for (const LegendLink& other : legend_.links) {
      if (other.name == link.name && other.assumed == link.assumed &&
          std::abs(other.gb_s - link.gb_s) < 0.05) {
        return;
      }
    }
    legend_.links.push_back(link);
  }

  void add_island_links() {
    for (const Wire& wire : wires_.wires) {
      if (!wire.link) continue;
      add_legend_link({wire.name.substr(0, wire.name.find(" of ")), wire.gb_s, wire.assumed,
                       std::max(1.5, wire.gb_s * scale_)});
    }
  }

  void add_row_links_to_legend() {
    const auto add = [&](const std::string& name, const Speed& speed) {
      add_legend_link({name, speed.gb_s, speed.assumed, std::max(1.5, speed.gb_s * scale_)});
    };
    for (const RowNode& node : rows_.nodes) {
      if (node.above < 0) continue;
      const RowNode& bar = rows_.at(node.above);
      const bool switched = bar.kind == RowKind::nvswitch;
      add(switched ? "NVLinks of a GPU to NVSwitch" : bar.name, node.up);
    }
    for (const RowKind kind : {RowKind::gpu, RowKind::pcie_switch, RowKind::processor}) {
      for (const RowNode& node : rows_.nodes) {
        if (node.kind != kind || node.below < 0) continue;
        add(kind == RowKind::processor ? "between NUMA nodes" : "PCIe", node.down);
      }
    }
  }

  const Topology& machine_;
  const Wires wires_;
  const RingSet set_;
  const std::vector<Island> islands_;
  const bool meshed_;
  const Rows rows_;
  const double scale_;  // how thick links are for each GB/s
  Legend legend_;
  std::vector<Ring> drawn_;
  TopologyPicture picture_;
  double right_ = 0, bottom_ = 0;
};

}  // namespace

TopologyPicture topology_picture(const Topology& machine) {
  return PictureMaker(machine).make();
}

std::string topology_svg(const Topology& machine) {
  const TopologyPicture picture = topology_picture(machine);
  return picture.canvas.svg(picture.width, picture.height, picture.name);
}

}  // namespace ringmaster::topology
