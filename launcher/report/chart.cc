// SPDX-License-Identifier: Apache-2.0
#include "launcher/report/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace ringmaster::launcher {

Scale make_scale(double low, double high, double from, double to) {
  // As near as that, ticks between them would be equal numbers.
  const double least = 1e-9 * std::max(std::fabs(low), std::fabs(high));
  if (!(high - low > least)) {
    const double widen = low == 0 ? 1 : std::fabs(low) * 0.5;
    high = low + widen;
    low -= widen;
  }
  return {low, high, from, to};
}

namespace {

double tick_step(double low, double high, int wanted) {
  CHECK_LT(low, high);
  CHECK_LT(0, wanted);
  const double rough = (high - low) / wanted;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

}  // namespace

std::vector<double> make_ticks(double low, double high, int wanted) {
  const double step = tick_step(low, high, wanted);
  std::vector<double> ticks;
  for (double i = std::ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i) {
    ticks.push_back(i == 0 ? 0 : i * step);
  }
  return ticks;
}

std::string number_text(double value, int decimals) {
  if (!std::isfinite(value)) return "-";
  std::string text = fmt::format("{:.{}f}", std::fabs(value), decimals);
  auto place = static_cast<std::ptrdiff_t>(text.find('.') == std::string::npos ? text.size()
                                                                               : text.find('.'));
  for (place -= 3; place > 0; place -= 3) text.insert(static_cast<std::size_t>(place), ",");
  const bool zero = text.find_first_not_of("0.,") == std::string::npos;
  return value < 0 && !zero ? "-" + text : text;
}

std::string tick_text(double value, double step) {
  const int decimals = static_cast<int>(std::max(0.0, -std::floor(std::log10(step) + 1e-9)));
  return number_text(value, decimals);
}

std::string escape(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

std::vector<Point> thin(const std::vector<Point>& points, std::size_t columns) {
  CHECK_LT(std::size_t{0}, columns);
  if (points.size() <= columns * 2) return points;
  std::vector<Point> kept;
  for (std::size_t column = 0; column < columns; ++column) {
    const auto first =
        points.begin() + static_cast<std::ptrdiff_t>(column * points.size() / columns);
    const auto last =
        points.begin() + static_cast<std::ptrdiff_t>((column + 1) * points.size() / columns);
    const auto [low, high] =
        std::minmax_element(first, last, [](const Point& a, const Point& b) { return a.y < b.y; });
    kept.push_back(low->x <= high->x ? *low : *high);
    if (low != high) kept.push_back(low->x <= high->x ? *high : *low);
  }
  return kept;
}

std::vector<Point> smooth(const std::vector<Point>& points, std::size_t reach) {
  std::vector<Point> smoothed;
  smoothed.reserve(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    // The window shrinks at the ends on both sides, so that the ends are not pulled.
    const std::size_t here = std::min({reach, i, points.size() - 1 - i});
    double sum = 0;
    for (std::size_t j = i - here; j <= i + here; ++j) sum += points[j].y;
    smoothed.push_back({points[i].x, sum / static_cast<double>(2 * here + 1)});
  }
  return smoothed;
}

std::string line_path(const std::vector<Point>& points, const Scale& x, const Scale& y) {
  std::string path;
  bool pen_down = false;
  for (const Point& point : points) {
    if (!std::isfinite(point.y)) {
      pen_down = false;
      continue;
    }
    path += fmt::format("{}{:.1f} {:.1f}", pen_down ? 'L' : 'M', x.at(point.x), y.at(point.y));
    pen_down = true;
  }
  return path;
}

std::string step_path(const std::vector<Point>& points, const Scale& x, const Scale& y) {
  std::string path;
  for (const Point& point : points) {
    path += path.empty() ? fmt::format("M{:.1f} {:.1f}", x.at(point.x), y.at(point.y))
                         : fmt::format("H{:.1f}V{:.1f}", x.at(point.x), y.at(point.y));
  }
  return path;
}

std::vector<int> place_labels(const std::vector<Extent>& labels, int lanes) {
  std::vector<double> ends(static_cast<std::size_t>(lanes), -1e9);
  std::vector<int> places;
  for (const Extent& label : labels) {
    const auto free =
        std::find_if(ends.begin(), ends.end(), [&](double end) { return end <= label.from; });
    places.push_back(free == ends.end() ? -1 : static_cast<int>(free - ends.begin()));
    if (free != ends.end()) *free = label.to;
  }
  return places;
}

double text_width(std::string_view text, double font_size) {
  const auto letters =
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; });
  return static_cast<double>(letters) * font_size * 0.57;  // the mean of sans-serif fonts
}

std::string draw_grid(const Scale& x, const Scale& y, int wanted) {
  const double step = tick_step(y.low, y.high, wanted);
  std::string svg;
  for (const double tick : make_ticks(y.low, y.high, wanted)) {
    svg += fmt::format(R"(<line class="grid" x1="{:.1f}" x2="{:.1f}" y1="{:.1f}" y2="{:.1f}"/>)",
                       x.from, x.to, y.at(tick), y.at(tick));
    svg += fmt::format(R"(<text class="tick" x="{:.1f}" y="{:.1f}" text-anchor="end">{}</text>)",
                       x.from - 10, y.at(tick) + 4, tick_text(tick, step));
  }
  return svg + "\n";
}

std::string draw_x_axis(const Scale& x, double bottom, std::string_view name) {
  const double step = tick_step(x.low, x.high, 10);
  std::string svg =
      fmt::format(R"(<line class="axis" x1="{:.1f}" x2="{:.1f}" y1="{:.1f}" y2="{:.1f}"/>)", x.from,
                  x.to, bottom, bottom);
  for (const double tick : make_ticks(x.low, x.high, 10)) {
    svg +=
        fmt::format(R"(<line class="axis" x1="{0:.1f}" x2="{0:.1f}" y1="{1:.1f}" y2="{2:.1f}"/>)",
                    x.at(tick), bottom, bottom + 5);
    svg += fmt::format(R"(<text class="tick" x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>)",
                       x.at(tick), bottom + 20, tick_text(tick, step));
  }
  svg +=
      fmt::format(R"(<text class="axis-name" x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>)",
                  (x.from + x.to) / 2, bottom + 42, escape(name));
  return svg + "\n";
}

std::string style_sheet() {
  return R"(:root{color-scheme:light dark;--ground:#fcfcfb;--card:#ffffff;--ink:#1c2127;
--soft:#5d6672;--faint:#e6e8eb;--edge:#d5d9de;--blue:#2158c9;--teal:#0c7a6c;--violet:#6a4fc4;
--lost:#c33b1d;--join:#1b7f3b;--good:#1b7f3b;--good-ground:#eaf6ee;--bad:#b3261e;
--bad-ground:#fdeceb}
@media(prefers-color-scheme:dark){:root{--ground:#14171b;--card:#1b1f25;--ink:#e7eaee;
--soft:#9aa5b1;--faint:#2a3038;--edge:#353c46;--blue:#7ea6ff;--teal:#4fd1bd;--violet:#b19cff;
--lost:#ff8a6b;--join:#66d18a;--good:#66d18a;--good-ground:#16291d;--bad:#ff8f87;
--bad-ground:#33191a}}
svg{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue","DejaVu Sans",sans-serif}
svg text{fill:var(--soft);font-size:12px}
svg .tick{font-size:11.5px;font-variant-numeric:tabular-nums}
svg .axis-name{font-size:12px}
svg .heading{paint-order:stroke;stroke:var(--card);stroke-width:5px}
svg .title{fill:var(--ink);font-size:13px;font-weight:600}
svg .legend{font-size:12px}
svg line.grid{stroke:var(--faint);stroke-width:1}
svg line.axis{stroke:var(--edge);stroke-width:1}
svg path{fill:none;stroke-linejoin:round;stroke-linecap:round}
svg .loss{stroke:var(--blue);stroke-width:2}
svg .rate{stroke:var(--teal);stroke-width:2}
svg .world{stroke:var(--violet);stroke-width:2;stroke-linejoin:miter;stroke-linecap:butt}
svg .world-area{fill:var(--violet);fill-opacity:.12;stroke:none}
svg .raw{stroke-width:1;stroke-opacity:.28}
svg .ideal{stroke:var(--soft);stroke-width:1.5;stroke-dasharray:5 5}
svg line.mark{stroke-width:1.25;stroke-opacity:.75}
svg line.mark-lost{stroke:var(--lost)}
svg line.mark-join{stroke:var(--join);stroke-dasharray:4 3}
svg text.mark{font-size:11.5px;font-weight:600;paint-order:stroke;
stroke:var(--card);stroke-width:4px}
svg text.mark-lost{fill:var(--lost)}
svg text.mark-join{fill:var(--join)}
svg .dot{fill:var(--blue);stroke:var(--card);stroke-width:2}
svg line.bar{stroke:var(--blue);stroke-width:1.5}
)";
}

}  // namespace ringmaster::launcher
