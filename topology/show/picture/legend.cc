// SPDX-License-Identifier: Apache-2.0
#include "topology/show/picture/legend.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringmaster::topology {

namespace {

constexpr double kLine = 18, kSwatch = 34, kSwatchGap = 10;

class LegendDrawer {
 public:
  LegendDrawer(Canvas& canvas, const Spot& corner)
      : canvas_(canvas), corner_(corner), y_(corner.y) {}

  void heading(const std::string& text) {
    if (y_ > corner_.y) y_ += 10;
    y_ += kLine;
    canvas_.add({{corner_.x, y_}, fitted(text, 13, true, 0), 13, Anchor::start, true, kInk});
    y_ += 4;
  }

  void note(const std::string& text) {
    y_ += kLine;
    canvas_.add({{corner_.x, y_}, fitted(text, 11, false, 0), 11, Anchor::start, false, kSoftInk});
  }

  void entry(const std::string& text, const std::string& detail, const char* colour, double thick,
             bool dashed = false) {
    y_ += std::max(kLine, thick + 8);
    const double middle = y_ - 4;
    canvas_.add(
        Layer::links,
        Stroke{{{corner_.x, middle}, {corner_.x + kSwatch, middle}}, colour, thick, false, dashed});
    const double left = corner_.x + kSwatch + kSwatchGap;
    canvas_.add({{left, y_},
                 fitted(text, 12, false, kSwatch + kSwatchGap),
                 12,
                 Anchor::start,
                 false,
                 kInk});
    if (detail.empty()) return;
    y_ += kLine - 2;
    canvas_.add({{left, y_},
                 fitted(detail, 11, false, kSwatch + kSwatchGap),
                 11,
                 Anchor::start,
                 false,
                 kSoftInk});
  }

  Box box() const {
    const bool empty = y_ == corner_.y;
    return {corner_.x, corner_.y, widest_, empty ? 0 : y_ + 6 - corner_.y};
  }

 private:
  std::string fitted(const std::string& text, double size, bool bold, double inset) {
    std::string shown = elided(text, size, bold, kLegendWidth - inset);
    widest_ = std::max(widest_, inset + label_width(shown, size, bold));
    return shown;
  }

  Canvas& canvas_;
  const Spot corner_;
  double y_, widest_ = 0;
};

void add_rings(LegendDrawer& drawer, const Topology& machine, const Wires& wires,
               const Legend& legend) {
  drawer.heading(
      fmt::format("All-reduce over {} GPUs: {:.1f} GB/s", machine.gpus.size(), legend.gb_s));
  drawer.note("of rings, as nccl-tests counts it (busbw)");
  for (std::size_t i = 0; i < legend.drawn; ++i) {
    const Ring& ring = legend.rings[i];
    drawer.entry(fmt::format("{}: {}", ring_order_text(machine, ring.order), ring_speed_text(ring)),
                 "limited by " + ring_limit_text(wires, ring), ring_colour(i), 4);
  }
  if (legend.dashed) drawer.note("dashed: from one GPU to the other over PCIe");
  const std::size_t left = legend.rings.size() - legend.drawn;
  if (left == 0) return;
  drawer.note(fmt::format("{} more ring{}, {:.1f} GB/s together, not drawn", left,
                          left == 1 ? "" : "s", ring_rest_gb_s(legend.rings, legend.drawn)));
}

void add_links(LegendDrawer& drawer, const Legend& legend) {
  constexpr std::size_t kLinksMost = 8;
  drawer.heading("Links, in each direction");
  for (std::size_t i = 0; i < std::min(kLinksMost, legend.links.size()); ++i) {
    const LegendLink& link = legend.links[i];
    drawer.entry(fmt::format("{}: {:.1f} GB/s{}", link.name, link.gb_s, link.assumed ? "?" : ""),
                 "", kLinkGrey, link.width);
  }
  if (legend.links.size() > kLinksMost) {
    drawer.note(fmt::format("and {} other speeds", legend.links.size() - kLinksMost));
  }
}

void add_notes(LegendDrawer& drawer, const Topology& machine) {
  constexpr std::size_t kNotesMost = 3;
  std::vector<std::string> notes;
  if (!machine.unknown_devices.empty()) {
    notes.push_back(
        fmt::format("devices that may be GPUs or not: {}", machine.unknown_devices.size()));
  }
  for (const std::string& part : machine.missing) notes.push_back("missing: " + part);
  for (const std::string& warning : machine.warnings) notes.push_back("warning: " + warning);
  for (std::size_t i = 0; i < std::min(kNotesMost, notes.size()); ++i) drawer.note(notes[i]);
  if (notes.size() > kNotesMost) {
    drawer.note(fmt::format("and {} more", notes.size() - kNotesMost));
  }
}

}  // namespace

Box draw_ring_legend(Canvas& canvas, const Topology& machine, const Wires& wires,
                     const Legend& legend, const Spot& corner) {
  LegendDrawer drawer(canvas, corner);
  if (!legend.rings.empty()) add_rings(drawer, machine, wires, legend);
  return drawer.box();
}

Box draw_link_legend(Canvas& canvas, const Topology& machine, const Legend& legend,
                     const Spot& corner) {
  LegendDrawer drawer(canvas, corner);
  if (!legend.links.empty()) add_links(drawer, legend);
  const bool assumed = std::any_of(legend.links.begin(), legend.links.end(),
                                   [](const LegendLink& link) { return link.assumed; });
  if (assumed) drawer.note("?: not told, taken from what such machines have");
  add_notes(drawer, machine);
  return drawer.box();
}

}  // namespace ringmaster::topology
