// SPDX-License-Identifier: Apache-2.0
#include "launcher/commands/allreduce_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "launcher/report/chart.h"

namespace ringmaster::launcher {

namespace {

constexpr double kPanelWidth = 430, kPlotHeight = 420, kLeft = 64, kGap = 26, kTop = 84;

struct Line {
  std::string style, name;
  std::vector<Point> points, slow;  // log10 of bytes and us: medians, and 99th percentiles
};

std::vector<Line> lines_of(const std::vector<AllreduceRow>& rows, std::int64_t ranks) {
  std::vector<Line> lines = {{"ideal", "fastest peer of each size", {}, {}}};
  std::string memory;
  for (const AllreduceRow& row : rows) {
    if (row.ranks != ranks) continue;
    const double at = std::log10(static_cast<double>(row.bytes));
    if (row.memory != memory) {
      const char* styles[] = {"loss", "rate", "world"};
      lines.push_back({styles[(lines.size() - 1) % 3], "ours, " + row.memory + " memory", {}, {}});
      memory = row.memory;
    }
    lines.back().points.push_back({at, std::log10(row.ours.p50)});
    lines.back().slow.push_back({at, std::log10(row.ours_p99)});
    if (row.peer.empty() || lines.size() != 2) continue;
    lines[0].points.push_back({at, std::log10(row.theirs.p50)});
    lines[0].slow.push_back({at, std::log10(row.theirs_p99)});
  }
  return lines;
}

std::string size_text(double bytes) {
  if (bytes >= 1 << 20) return fmt::format("{:.0f} MiB", bytes / (1 << 20));
  return bytes >= 1024 ? fmt::format("{:.0f} KiB", bytes / 1024) : fmt::format("{:.0f} B", bytes);
}

std::string time_text(double us) {
  return us >= 1000 ? fmt::format("{:g} ms", us / 1000) : fmt::format("{:g} µs", us);
}

std::string draw_axes(const Scale& x, const Scale& y, bool named) {
  std::string svg;
  for (double power = std::ceil(y.low); power <= y.high; ++power) {
    svg += fmt::format(R"(<line class="grid" x1="{:.1f}" x2="{:.1f}" y1="{:.1f}" y2="{:.1f}"/>)",
                       x.from, x.to, y.at(power), y.at(power));
    if (!named) continue;
    svg += fmt::format(R"(<text class="tick" x="{:.1f}" y="{:.1f}" text-anchor="end">{}</text>)",
                       x.from - 8, y.at(power) + 4, time_text(std::pow(10, power)));
  }
  svg += fmt::format(R"(<line class="axis" x1="{:.1f}" x2="{:.1f}" y1="{:.1f}" y2="{:.1f}"/>)",
                     x.from, x.to, y.from, y.from);
  for (const double bytes : {4.0, 128.0, 4096.0, 65536.0, 1048576.0, 67108864.0}) {
    const double at = std::log10(bytes);
    if (at < x.low - 0.01 || at > x.high + 0.01) continue;
    svg += fmt::format(R"(<text class="tick" x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>)",
                       x.at(at), y.from + 20, size_text(bytes));
  }
  return svg + "\n";
}

std::string draw_lines(const std::vector<Line>& lines, const Scale& x, const Scale& y) {
  std::string svg;
  for (const Line& line : lines) {
    svg += fmt::format(R"(<path class="{0} raw" d="{1}"/><path class="{0}" d="{2}"/>)", line.style,
                       line_path(line.slow, x, y), line_path(line.points, x, y));
  }
  return svg + "\n";
}

std::string draw_legend(const std::vector<Line>& lines) {
  std::string svg;
  double at = 20;
  for (const Line& line : lines) {
    svg += fmt::format(R"(<path class="{}" d="M{:.1f} 62h24"/>)"
                       R"(<text class="legend" x="{:.1f}" y="66">{}</text>)",
                       line.style, at, at + 30, escape(line.name));
    at += 52 + text_width(line.name, 12);
  }
  return svg + "\n";
}

}  // namespace

std::string allreduce_svg(const std::vector<AllreduceRow>& rows) {
  CHECK(!rows.empty());
  std::vector<std::int64_t> panels;
  double low = HUGE_VAL, high = -HUGE_VAL, least = HUGE_VAL, most = 0;
  for (const AllreduceRow& row : rows) {
    if (panels.empty() || panels.back() != row.ranks) panels.push_back(row.ranks);
    low = std::min(low, std::log10(row.ours.p50));
    high = std::max(
        {high, std::log10(row.ours_p99), row.peer.empty() ? 0.0 : std::log10(row.theirs_p99)});
    least = std::min(least, static_cast<double>(row.bytes));
    most = std::max(most, static_cast<double>(row.bytes));
  }
  const double width = kLeft + (kPanelWidth + kGap) * static_cast<double>(panels.size());
  std::string svg = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}">)"
      "\n<style>{2}</style>\n<rect width=\"{0}\" height=\"{1}\" rx=\"10\" "
      "style=\"fill:var(--card)\"/>\n"
      R"(<text class="title" x="20" y="32">All-reduce of float32 sums on one host: time by size)"
      R"(<tspan dx="12" style="font-weight:400">median of the runs' medians; thin: their 99th )"
      R"(percentiles</tspan></text>)",
      width, kPlotHeight + 40, style_sheet());
  svg += draw_legend(lines_of(rows, panels.front()));
  const Scale y = make_scale(std::floor(low), std::ceil(high), kPlotHeight - 20, kTop + 24);
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const double from = kLeft + (kPanelWidth + kGap) * static_cast<double>(i);
    const Scale x = make_scale(std::log10(least), std::log10(most), from, from + kPanelWidth);
    svg += fmt::format(R"(<text class="title" x="{:.1f}" y="{:.1f}">{} ranks</text>)", from,
                       kTop + 12, panels[i]);
    svg += draw_axes(x, y, i == 0) + draw_lines(lines_of(rows, panels[i]), x, y);
  }
  return svg + "</svg>\n";
}

}  // namespace ringmaster::launcher
