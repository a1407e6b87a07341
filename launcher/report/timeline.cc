// SPDX-License-Identifier: Apache-2.0
#include "launcher/report/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ringmaster::launcher {

namespace {

constexpr double kPageWidth = 1000, kLeft = 54, kRight = 990;
constexpr double kLane = 17;            // height of a lane of labels
constexpr int kMostLanes = 4;           // beyond it a mark keeps its line and loses its label
constexpr std::size_t kNamesUpTo = 14;  // marks beyond it are labelled by a sign and a number
constexpr double kLabelSize = 11.5;
constexpr std::size_t kTimelineColumns = 600;  // points of a line: a screen has no more pixels

struct Panel {
  double top, height;
  double bottom() const { return top + height; }
};

struct Layout {
  Scale x;
  Panel loss, rate, world;
  double height;
};

/// The lowest and highest finite value of a line; [0, 1] for an empty one.
Extent range_of(const std::vector<Point>& line) {
  Extent range{1e300, -1e300};
  for (const Point& point : line) {
    if (!std::isfinite(point.y)) continue;
    range = {std::min(range.from, point.y), std::max(range.to, point.y)};
  }
  return range.from <= range.to ? range : Extent{0, 1};
}

/// What all but the highest 3 % of the values stay below; 1 for an empty line.
double usual_top(const std::vector<Point>& line) {
  std::vector<double> values;
  for (const Point& point : line) {
    if (std::isfinite(point.y)) values.push_back(point.y);
  }
  if (values.empty()) return 1;
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(values.size() * 97 / 100);
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

std::string panel_title(const Panel& panel, std::string_view title, std::string_view rest) {
  return fmt::format(R"(<text class="heading" x="{:.1f}" y="{:.1f}">)"
                     R"(<tspan class="title">{}</tspan><tspan dx="8">{}</tspan></text>)",
                     kLeft, panel.top - 12, escape(title), escape(rest));
}

/// A panel from zero up with the raw values faint behind their running mean.
std::string draw_line_panel(const Layout& layout, const Panel& panel,
                            const std::vector<Point>& line, const std::vector<Point>& smoothed,
                            const char* colour) {
  // Spikes, and the fall of the first few steps, are cut at the frame: they would flatten the rest.
  const double high = std::min(range_of(line).to, usual_top(smoothed) * 1.35);
  const double low = std::min(0.0, range_of(line).from);
  const Scale y = make_scale(low, low < high ? high : low + 1, panel.bottom(), panel.top);
  std::string svg = draw_grid(layout.x, y, panel.height > 150 ? 5 : 4);
  svg += fmt::format(R"svg(<g clip-path="url(#{}-frame)">)svg", colour);
  svg += fmt::format(R"(<path class="{} raw" d="{}"/>)", colour,
                     line_path(thin(line, kTimelineColumns), layout.x, y));
  svg += fmt::format(R"(<path class="{}" d="{}"/></g>)", colour,
                     line_path(thin(smoothed, kTimelineColumns), layout.x, y));
  return svg + "\n";
}

std::string clip_frame(const Panel& panel, const char* name) {
  return fmt::format(
      R"(<clipPath id="{}-frame"><rect x="{}" y="{}" width="{}" height="{}"/></clipPath>)", name,
      kLeft, panel.top - 2, kRight - kLeft + 2, panel.height + 4);
}

std::string draw_world_panel(const Layout& layout, const Summary& summary) {
  const auto line = world_line(summary);
  const double most = std::max(range_of(line).to, static_cast<double>(summary.start.ranks));
  const Scale y = make_scale(0, most * 1.12, layout.world.bottom(), layout.world.top);
  std::string svg = draw_grid(layout.x, y, static_cast<int>(std::clamp(most, 1.0, 4.0)));
  if (line.empty()) return svg;
  const std::string steps = step_path(line, layout.x, y);
  svg += fmt::format(R"(<path class="world-area" d="{}V{:.1f}H{:.1f}Z"/>)", steps,
                     layout.world.bottom(), layout.x.at(line.front().x));
  return svg + fmt::format(R"(<path class="world" d="{}"/>)", steps) + "\n";
}

std::string mark_label(const Change& change, bool brief) {
  if (!brief) return change_text(change);
  return fmt::format("{}{}", change.kind == Change::Kind::lost ? "−" : "+",
                     change.ranks.size() == 1 ? fmt::format("r{}", change.ranks.front())
                                              : fmt::format("{}", change.count));
}

struct Mark {
  const Change* change;
  std::string label;
  double x;
  Extent extent;
  bool left;  // the label stands left of the line, where the drawing ends at the right
  int lane;
};

std::vector<Mark> place_marks(const Summary& summary, const Scale& x) {
  const bool brief = summary.changes.size() > kNamesUpTo;
  std::vector<Mark> marks;
  for (const Change& change : summary.changes) {
    Mark mark{&change,
              mark_label(change, brief),
              x.at(std::clamp(change.seconds, x.low, x.high)),
              {},
              false,
              0};
    const double width = text_width(mark.label, kLabelSize) + 12;
    mark.left = mark.x + width > kPageWidth;
    mark.extent = mark.left ? Extent{mark.x - width, mark.x} : Extent{mark.x, mark.x + width};
    marks.push_back(std::move(mark));
  }
  std::sort(marks.begin(), marks.end(),
            [](const Mark& a, const Mark& b) { return a.extent.from < b.extent.from; });
  std::vector<Extent> extents;
  for (const Mark& mark : marks) extents.push_back(mark.extent);
  const auto lanes = place_labels(extents, kMostLanes);
  for (std::size_t i = 0; i < marks.size(); ++i) marks[i].lane = lanes[i];
  return marks;
}

std::string draw_marks(const std::vector<Mark>& marks, const Layout& layout) {
  std::string lines, labels;
  for (const Mark& mark : marks) {
    const char* kind = mark.change->kind == Change::Kind::lost ? "mark-lost" : "mark-join";
    const double y = 14 + kLane * std::max(mark.lane, 0);
    lines +=
        fmt::format(R"(<line class="mark {0}" x1="{1:.1f}" x2="{1:.1f}" y1="{2:.1f}" y2="{3:.1f}">)"
                    R"(<title>{4} at step {5}, {6:.2f} s: {7}</title></line>)",
                    kind, mark.x, mark.lane < 0 ? layout.loss.top : y - 10, layout.world.bottom(),
                    escape(change_text(*mark.change)), mark.change->step, mark.change->seconds,
                    escape(mark.change->reason));
    if (mark.lane < 0) continue;
    labels += fmt::format(
        R"(<text class="mark {}" x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>)", kind,
        mark.x + (mark.left ? -5 : 5), y, mark.left ? "end" : "start", escape(mark.label));
  }
  return lines + "\n" + labels + "\n";
}

}  // namespace

std::string draw_timeline(const Summary& summary) {
  Layout layout{make_scale(0, summary.seconds, kLeft, kRight), {}, {}, {}, 0};
  const auto marks = place_marks(summary, layout.x);
  int lanes = 0;
  for (const Mark& mark : marks) lanes = std::max(lanes, mark.lane + 1);
  layout.loss = {14 + kLane * lanes + 30, 220};
  layout.rate = {layout.loss.bottom() + 48, 120};
  layout.world = {layout.rate.bottom() + 48, 72};
  layout.height = layout.world.bottom() + 50;

  const std::size_t reach = smoothing_reach(summary);
  std::string svg = fmt::format(R"(<svg viewBox="0 0 {} {}" role="img" )"
                                R"(aria-label="Loss, throughput and world size over time">)",
                                kPageWidth, layout.height);
  svg +=
      "\n<defs>" + clip_frame(layout.loss, "loss") + clip_frame(layout.rate, "rate") + "</defs>\n";
  svg += draw_line_panel(layout, layout.loss, loss_line(summary), smooth(loss_line(summary), reach),
                         "loss");
  // The rates of single steps jump so much when ranks share cores that they hide their own mean.
  svg += draw_line_panel(layout, layout.rate, mean_rate_line(summary, reach / 8),
                         mean_rate_line(summary, reach), "rate");
  svg += draw_world_panel(layout, summary);
  svg += draw_marks(marks, layout);
  const std::string window =
      fmt::format("faint: every step; bold: mean of {} steps", 2 * reach + 1);
  svg += panel_title(layout.loss, "Training loss", window);
  svg += panel_title(layout.rate, "Throughput", "images per second, all ranks together");
  svg += panel_title(layout.world, "World size", "ranks in the ring");
  svg += draw_x_axis(layout.x, layout.world.bottom(), "seconds since the start");
  return svg + "</svg>\n";
}

}  // namespace ringmaster::launcher
