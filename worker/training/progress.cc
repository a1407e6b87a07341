// SPDX-License-Identifier: Apache-2.0
#include "worker/training/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace ringmaster::training {

namespace {

using namespace std::chrono_literals;

constexpr Duration kRedraw = 100ms;  // what an eye can follow
constexpr Duration kPlainLine = 2s;  // what a log file should bear

std::string duration_text(double seconds) {
  // A rate that is not known yet can promise any time: show at most 99 hours.
  const auto whole = static_cast<std::int64_t>(std::clamp(std::ceil(seconds), 0.0, 356'400.0));
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string bar_text(const ProgressFacts& facts, int columns) {
  const std::string text = progress_text(facts);
  const auto width = static_cast<std::size_t>(columns - 1);  // the last column would wrap
  // "\r" goes back to the line's start, "\x1b[K" clears what a longer line left behind.
  if (text.size() + 8 > width) return "\r" + text.substr(0, width) + "\x1b[K";
  const std::size_t room = std::min<std::size_t>(width - text.size() - 4, 40);
  const double done = static_cast<double>(facts.step) / static_cast<double>(facts.steps);
  const auto full = static_cast<std::size_t>(done * static_cast<double>(room));
  return "\r[" + std::string(full, '#') + std::string(room - full, '.') + "]  " + text + "\x1b[K";
}

}  // namespace

std::string progress_text(const ProgressFacts& facts) {
  return fmt::format("epoch {}/{}  step {}/{}  loss {:.4f}  {:.0f} images/s  {} rank{}  {} left",
                     facts.epoch + 1, facts.epochs, facts.step, facts.steps, facts.loss,
                     facts.images_per_s, facts.world, facts.world == 1 ? "" : "s",
                     duration_text(facts.seconds_left));
}

std::optional<std::string> Progress::update(Time now, const ProgressFacts& facts) {
  const bool last = facts.step == facts.steps;
  const bool bar = columns_ > 0;
  const bool due = !last_ || now - *last_ >= (bar ? kRedraw : kPlainLine);
  if (!due && !last) return std::nullopt;
  last_ = now;
  drawn_ = bar;
  return bar ? bar_text(facts, columns_) : progress_text(facts) + "\n";
}

std::string Progress::end() {
  const bool drawn = std::exchange(drawn_, false);
  return drawn ? "\n" : "";
}

}  // namespace ringmaster::training
