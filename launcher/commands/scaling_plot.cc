// SPDX-License-Identifier: Apache-2.0
#include "launcher/commands/scaling_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/check.h"
#include "launcher/report/chart.h"

namespace ringmaster::launcher {

Result<double> rate_after(const Metrics& metrics, std::int64_t warm_up) {
  int lowest = 1 << 30;
  for (const StepEvent& e : metrics.steps) lowest = std::min(lowest, e.rank);
  double begin = 0, end = 0;
  std::int64_t images = 0, counted = 0;
  for (const StepEvent& e : metrics.steps) {
    if (e.rank != lowest || e.step + 1 < warm_up) continue;
    if (e.step + 1 == warm_up) {
      begin = e.time;
      continue;
    }
    end = std::max(end, e.time);
    images += e.images;
    ++counted;
  }
  if (counted == 0 || begin == 0 || end <= begin) {
    return Error{Errc::corrupt,
                 fmt::format("no steps after the first {}: nothing to time", warm_up)};
  }
  return static_cast<double>(images) / (end - begin);
}

namespace {

Spread ratios(const std::vector<double>& rates, const std::vector<double>& base) {
  CHECK_EQ(rates.size(), base.size());
  std::vector<double> all;
  for (std::size_t j = 0; j < rates.size(); ++j) all.push_back(rates[j] / base[j]);
  return spread_of(std::move(all));
}

}  // namespace

std::vector<ScalingPoint> scaling_points(const std::vector<int>& ranks,
                                         const std::vector<std::vector<double>>& rates,
                                         const std::vector<std::vector<double>>& copies) {
  CHECK_EQ(ranks.size(), rates.size());
  CHECK_EQ(ranks.size(), copies.size());
  CHECK(!ranks.empty() && ranks.front() == 1);
  std::vector<ScalingPoint> points;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    points.push_back(
        {ranks[i], spread_of(rates[i]), ratios(rates[i], rates[0]), ratios(copies[i], rates[0])});
  }
  return points;
}

std::vector<Bar> scaling_bars(const Scaling& scaling, double gate) {
  std::vector<Bar> bars;
  for (const ScalingPoint& point : scaling.points) {
    if (point.ranks == 1 || point.ranks > scaling.cores) continue;
    bars.push_back(
        {fmt::format("efficiency of {} ranks", point.ranks), point.efficiency(), gate, true});
  }
  return bars;
}

std::string scaling_table(const Scaling& scaling) {
  std::string text = fmt::format(
      "{}: global batch {}, {} steps, {} repeats, {} cores, BLAS kernel {}\n\n"
      "  ranks  images/s        min        max  spread  speed-up  efficiency  ceiling  of "
      "ceiling\n",
      scaling.model, scaling.batch, scaling.steps, scaling.points.front().rate.samples,
      scaling.cores, scaling.kernel);
  for (const ScalingPoint& point : scaling.points) {
    const Spread& rate = point.rate;
    text += fmt::format(
        "  {:>5} {:>9} {:>10} {:>10} {:>5.1f} % {:>8.2f}x {:>9.1f} % {:>7.2f}x {:>9.1f} %{}\n",
        point.ranks, number_text(rate.p50), number_text(rate.min), number_text(rate.max),
        (rate.max - rate.min) / rate.p50 * 100, point.speed_up.p50, point.efficiency() * 100,
        point.ceiling.p50, point.of_ceiling() * 100,
        point.ranks > scaling.cores ? "  more ranks than cores" : "");
  }
  text +=
      "\n  One rank communicates with nobody. The ceiling: as many copies that know nothing of "
      "each other.\n";
  return text;
}

namespace {

constexpr double kWidth = 640, kHeight = 440;

std::string draw_ideal(const Scale& x, const Scale& y, int most) {
  return fmt::format(R"(<line class="ideal" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>)"
                     R"(<text class="legend" x="{:.1f}" y="{:.1f}" text-anchor="end">ideal</text>)"
                     "\n",
                     x.at(0), y.at(0), x.at(most), y.at(most), x.at(most) - 8, y.at(most) + 2);
}

std::string draw_point(const ScalingPoint& point, const Scale& x, const Scale& y) {
  const double at = x.at(point.ranks);
  std::string svg;
  for (const auto& [x1, y1, x2, y2] :
       {std::array{at, y.at(point.speed_up.min), at, y.at(point.speed_up.max)},
        std::array{at - 6, y.at(point.speed_up.min), at + 6, y.at(point.speed_up.min)},
        std::array{at - 6, y.at(point.speed_up.max), at + 6, y.at(point.speed_up.max)}}) {
    svg += fmt::format(R"(<line class="bar" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>)", x1,
                       y1, x2, y2);
  }
  svg += fmt::format(R"(<circle class="dot" cx="{:.1f}" cy="{:.1f}" r="6"/>)", at,
                     y.at(point.speed_up.p50));
  // Below and to the right: the ideal line runs above.
  svg += fmt::format(R"(<text x="{:.1f}" y="{:.1f}">)"
                     R"(<tspan class="title">{:.2f}×</tspan>)"
                     R"(<tspan dx="6">{:.0f} %</tspan></text>)",
                     at + 12, y.at(point.speed_up.p50) + 18, point.speed_up.p50,
                     point.efficiency() * 100);
  return svg + "\n";
}

}  // namespace

std::string scaling_svg(const Scaling& scaling) {
  int most = 1;
  double highest = 1;
  for (const ScalingPoint& point : scaling.points) {
    most = std::max(most, point.ranks);
    highest = std::max(highest, point.speed_up.max);
  }
  const Scale x = make_scale(0, most * 1.27, 56, kWidth - 20);
  const Scale y = make_scale(0, std::max<double>(most, highest) * 1.08, kHeight - 62, 74);
  std::string svg = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}">)"
      "\n<style>{2}</style>\n<rect width=\"{0}\" height=\"{1}\" rx=\"10\" "
      "style=\"fill:var(--card)\"/>\n",
      kWidth, kHeight, style_sheet());
  svg += fmt::format(
      R"(<text class="title" x="20" y="32">Speed-up of training {}</text>)"
      R"(<text x="20" y="51">strong scaling, global batch {}; median of {} interleaved )"
      R"(repeats, bars: lowest to highest</text>)"
      "\n",
      escape(scaling.model), scaling.batch, scaling.points.front().rate.samples);
  if (most > scaling.cores) {
    const double from = x.at(scaling.cores + 0.5);
    svg +=
        fmt::format(R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" )"
                    R"(style="fill:var(--faint);fill-opacity:.55"/>)"
                    R"(<text class="legend" x="{:.1f}" y="{:.1f}" text-anchor="end">)"
                    R"(more ranks than cores ({})</text>)"
                    "\n",
                    from, y.to, x.to - from, y.from - y.to, x.to - 8, y.from - 10, scaling.cores);
  }
  svg += draw_grid(x, y, 5) + draw_ideal(x, y, most);
  for (const ScalingPoint& point : scaling.points) svg += draw_point(point, x, y);
  svg += fmt::format(R"(<line class="axis" x1="{:.1f}" x2="{:.1f}" y1="{:.1f}" y2="{:.1f}"/>)",
                     x.from, x.to, y.from, y.from);
  for (const ScalingPoint& point : scaling.points) {
    svg += fmt::format(R"(<text class="tick" x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>)",
                       x.at(point.ranks), y.from + 20, point.ranks);
  }
  svg += fmt::format(
      R"(<text class="axis-name" x="{:.1f}" y="{:.1f}" text-anchor="middle">ranks</text>)",
      (x.from + x.to) / 2, y.from + 42);
  return svg + "</svg>\n";
}

}  // namespace ringmaster::launcher
