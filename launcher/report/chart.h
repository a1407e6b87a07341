// SPDX-License-Identifier: Apache-2.0
//
// The parts of a chart as SVG text: scales, ticks, lines, marks and the places of their labels.
//
// A chart is text in and text out, so that a page holds it inline, needs no script and no other
// file, and a test can read it. A plotting library would draw more kinds of charts and bring a
// dependency, a script or a picture whose letters cannot be searched.
//
// Colours are classes ("loss", "grid", "mark-lost"); the page or style_sheet() gives them values
// for light and for dark.
//
// Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ringmaster::launcher {

struct Point {
  double x = 0, y = 0;
};

/// A straight mapping of [low, high] onto [from, to] of the drawing.
struct Scale {
  double low = 0, high = 1, from = 0, to = 1;
  double at(double value) const { return from + (value - low) / (high - low) * (to - from); }
};

/// A scale from `low` to `high`, widened where they are equal, so that it maps every value.
Scale make_scale(double low, double high, double from, double to);

/// Round values (1, 2 or 5 times a power of ten apart) within [low, high], about `wanted` of them.
std::vector<double> make_ticks(double low, double high, int wanted);

/// "0.25", "1,500": as many decimals as ticks `step` apart need.
std::string tick_text(double value, double step);

/// "12,345"; with `decimals` behind the point.
std::string number_text(double value, int decimals = 0);

/// Text that may stand between tags and in an attribute.
std::string escape(std::string_view text);

/// The extremes of at most `columns` parts of the line: looks the same and is small.
std::vector<Point> thin(const std::vector<Point>& points, std::size_t columns);

/// Each value replaced by the mean of those within `reach` places of it.
std::vector<Point> smooth(const std::vector<Point>& points, std::size_t reach);

/// The data of a path through the points. Values that are no number break the line.
std::string line_path(const std::vector<Point>& points, const Scale& x, const Scale& y);

/// The data of a path that keeps a value until the next point.
std::string step_path(const std::vector<Point>& points, const Scale& x, const Scale& y);

/// A label of a mark: from where to where it reaches.
struct Extent {
  double from = 0, to = 0;
};

/// A lane for each label (in order of `from`) so that none touches another in its lane; -1 where
/// all `lanes` are taken.
std::vector<int> place_labels(const std::vector<Extent>& labels, int lanes);

/// About how wide a text is in our labels' font.
double text_width(std::string_view text, double font_size);

/// Horizontal grid lines with their values at the left, for a panel from x.from to x.to.
std::string draw_grid(const Scale& x, const Scale& y, int wanted);

/// The values along the bottom at `bottom`, with the axis' name below.
std::string draw_x_axis(const Scale& x, double bottom, std::string_view name);

/// The colours of every class, in light and in dark, without the <style> tags.
std::string style_sheet();

}  // namespace ringmaster::launcher
