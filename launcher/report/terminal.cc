// SPDX-License-Identifier: Apache-2.0
#include "launcher/report/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/check.h"

namespace ringmaster::launcher {

namespace {

constexpr std::size_t kColumns = 60;

const char* block(double part) {
  static constexpr std::array kBlocks = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const double place = std::clamp(part, 0.0, 1.0) * static_cast<double>(kBlocks.size() - 1);
  return kBlocks.at(static_cast<std::size_t>(std::lround(place)));
}

/// The world's sizes in order: "4 3 4", cut in the middle when there are many.
std::string world_text(const Summary& s) {
  std::vector<std::string> sizes;
  for (const GenerationEvent& e : s.generations) sizes.push_back(fmt::format("{}", e.world));
  constexpr std::size_t kMost = 9;
  if (sizes.size() > kMost) {
    sizes.erase(sizes.begin() + 4, sizes.end() - 4);
    sizes.insert(sizes.begin() + 4, "…");
  }
  return fmt::format("{}", fmt::join(sizes, " "));
}

/// The reason without what the line says already ("rank 1 lost: killed by ..." is "killed by ...").
std::string because(const Change& change) {
  const std::string said = change_text(change) + ": ";
  if (change.reason.starts_with(said)) return change.reason.substr(said.size());
  const bool only_the_join =
      change.ranks.size() == 1 && change.reason == fmt::format("rank {} joins", change.ranks[0]);
  return only_the_join ? "" : change.reason;
}

std::string change_line(const Change& change) {
  const std::string healed =
      change.kind == Change::Kind::lost
          ? fmt::format("healed in {:.1f} ms, {} go on", change.heal_ms, change.world)
          : fmt::format("in after {:.1f} ms, {} go on", change.heal_ms, change.world);
  std::string line = fmt::format("  {:>8.2f} s  step {:<6} {:<16} {:<32} {}", change.seconds,
                                 change.step, change_text(change), healed, because(change));
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string curves(const Summary& s) {
  const auto loss = smooth(loss_line(s), smoothing_reach(s));
  if (loss.empty()) return "";
  // On a linear scale the first steps leave no height for all that follows. A loss that is no
  // number any more has no height at all.
  std::vector<Point> heights;
  for (const Point& point : loss) {
    if (std::isfinite(point.y)) heights.push_back({point.x, std::log(std::max(point.y, 1e-6))});
  }
  const auto [low, high] = std::minmax_element(
      heights.begin(), heights.end(), [](const Point& x, const Point& y) { return x.y < y.y; });
  std::string text;
  if (!heights.empty()) {
    text =
        fmt::format("  loss     {}  {:.3f} → {:.3f} (log)\n",
                    sparkline(heights, kColumns, low->y, high->y), loss.front().y, loss.back().y);
  }
  double most = s.start.ranks;
  for (const GenerationEvent& e : s.generations) most = std::max<double>(most, e.world);
  std::vector<Point> world;
  for (const StepEvent& e : s.history) {
    world.push_back({e.time - s.start.time, static_cast<double>(e.world)});
  }
  return text +
         fmt::format("  world    {}  {}\n", sparkline(world, kColumns, 0, most), world_text(s));
}

}  // namespace

std::string sparkline(const std::vector<Point>& line, std::size_t columns, double low,
                      double high) {
  CHECK_LT(std::size_t{0}, columns);
  if (line.empty()) return "";
  const Scale place = make_scale(line.front().x, line.back().x, 0, static_cast<double>(columns));
  std::string text;
  std::size_t next = 0;
  double value = line.front().y;
  for (std::size_t column = 0; column < columns; ++column) {
    double sum = 0;
    int count = 0;
    for (; next < line.size() &&
           (place.at(line[next].x) < static_cast<double>(column + 1) || column + 1 == columns);
         ++next) {
      if (!std::isfinite(line[next].y)) continue;
      sum += line[next].y;
      ++count;
    }
    if (count > 0) value = sum / count;
    text += block(high > low ? (value - low) / (high - low) : 1);
  }
  return text;
}

std::string terminal_summary(const Summary& s) {
  std::string text = fmt::format(
      "{} on {} {}: {} steps in {:.1f} s, {} images/s\n\n", s.start.model, s.start.ranks,
      s.start.ranks == 1 ? "rank" : "ranks", number_text(static_cast<double>(s.steps)), s.seconds,
      number_text(s.images_per_s));
  if (s.accuracy)
    text += fmt::format("  accuracy {:.2f} % of the test images\n", *s.accuracy * 100);
  text += curves(s) + "\n";
  for (const Change& change : s.changes) text += change_line(change);
  if (!s.changes.empty()) text += "\n";
  if (!s.heals_ms.empty()) {
    text += fmt::format("  healing  {} {}: median {:.1f} ms, longest {:.1f} ms\n",
                        s.heals_ms.size(), s.heals_ms.size() == 1 ? "loss" : "losses",
                        quantile(s.heals_ms, 0.5), s.heals_ms.back());
  }
  text += fmt::format("  ledger   {} {}\n", s.ledger.good ? "✓" : "✗", s.ledger.text);
  text += fmt::format("  weights  {} {}\n", s.weights.good ? "✓" : "✗", s.weights.text);
  for (const std::string& note : s.notes) text += fmt::format("  note     {}\n", note);
  return text;
}

}  // namespace ringmaster::launcher
