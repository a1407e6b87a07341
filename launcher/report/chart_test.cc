// SPDX-License-Identifier: Apache-2.0
#include "launcher/report/chart.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ringmaster::launcher {
namespace {

TEST(Chart, TicksAreRoundAndInside) {
  EXPECT_EQ(make_ticks(0, 10, 5), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  const auto small = make_ticks(0.13, 0.52, 4);
  ASSERT_EQ(small.size(), 4u);
  EXPECT_NEAR(small.front(), 0.2, 1e-12);
  EXPECT_NEAR(small.back(), 0.5, 1e-12);
  for (const double high : {3.7, 61.0, 1e6, 0.004}) {
    const auto ticks = make_ticks(0, high, 5);
    EXPECT_GE(ticks.size(), 2u) << high;
    EXPECT_LE(ticks.size(), 11u) << high;
    EXPECT_LE(ticks.back(), high * (1 + 1e-9)) << high;
  }
}

TEST(Chart, NumbersAreWrittenForPeople) {
  EXPECT_EQ(number_text(1234567), "1,234,567");
  EXPECT_EQ(number_text(999), "999");
  EXPECT_EQ(number_text(-1234.5, 1), "-1,234.5");
  EXPECT_EQ(number_text(std::nan("")), "-");
  EXPECT_EQ(tick_text(0.25, 0.05), "0.25");
  EXPECT_EQ(tick_text(1500, 500), "1,500");
}

TEST(Chart, AScaleOfOneValueStillMapsIt) {
  const Scale scale = make_scale(5, 5, 0, 100);
  EXPECT_NEAR(scale.at(5), 50, 1e-9);
}

TEST(Chart, AScaleOfNearlyOneValueHasFewTicks) {
  const Scale scale = make_scale(1e17, 1e17 + 16, 0, 100);
  const auto ticks = make_ticks(scale.low, scale.high, 5);
  EXPECT_GE(ticks.size(), 2u);
  EXPECT_LE(ticks.size(), 11u);
}

TEST(Chart, ThinningKeepsTheExtremes) {
  std::vector<Point> line;
  for (int i = 0; i < 10000; ++i) line.push_back({static_cast<double>(i), i == 6543 ? 99.0 : 1.0});
  const auto kept = thin(line, 100);
  EXPECT_LE(kept.size(), 200u);
  EXPECT_EQ(std::count_if(kept.begin(), kept.end(), [](Point p) { return p.y == 99; }), 1);
  EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end(), [](Point a, Point b) { return a.x < b.x; }));
}

TEST(Chart, SmoothingKeepsAStraightLineToItsEnds) {
  std::vector<Point> line;
  for (int i = 0; i < 50; ++i) line.push_back({static_cast<double>(i), 2.0 * i});
  for (const Point& point : smooth(line, 7)) EXPECT_NEAR(point.y, 2 * point.x, 1e-9);
}

TEST(Chart, PathsBreakWhereThereIsNoNumber) {
  const Scale unit{0, 1, 0, 10};
  EXPECT_EQ(line_path({{0, 0}, {1, 1}}, unit, unit), "M0.0 0.0L10.0 10.0");
  EXPECT_EQ(line_path({{0, 0}, {0.5, NAN}, {1, 1}}, unit, unit), "M0.0 0.0M10.0 10.0");
  EXPECT_EQ(step_path({{0, 0}, {1, 1}}, unit, unit), "M0.0 0.0H10.0V10.0");
}

TEST(Chart, LabelsNeverOverlapInALane) {
  const std::vector<Extent> labels = {{0, 50}, {10, 60}, {20, 70}, {55, 90}, {61, 99}};
  EXPECT_EQ(place_labels(labels, 2), (std::vector<int>{0, 1, -1, 0, 1}));
}

TEST(Chart, TextIsEscaped) {
  EXPECT_EQ(escape("<a href=\"&\">"), "&lt;a href=&quot;&amp;&quot;&gt;");
}

}  // namespace
}  // namespace ringmaster::launcher
