// SPDX-License-Identifier: Apache-2.0
#include "launcher/ending/stillness.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <numeric>

#include "base/check.h"

namespace ringmaster::launcher {

namespace {

/// A look that comes later than that was held up itself, and has missed what moved meanwhile.
constexpr int kLatePeriods = 4;

std::string state_words(char state) {
  if (state == 'R') return "running";
  if (state == 'S') return "sleeping";
  if (state == 'D') return "waiting for a device or file system";
  if (state == 'T' || state == 't') return "stopped";
  if (state == 'Z') return "ended";
  return fmt::format("in state {}", state);
}

}  // namespace

Duration Stillness::period() const {
  return std::clamp<Duration>(limit_ / 20, std::chrono::milliseconds(5), std::chrono::seconds(1));
}

Time Stillness::moved(int rank) const {
  const auto found = ranks_.find(rank);
  return found == ranks_.end() ? moved_ : found->second.moved;
}

bool Stillness::look(Time now, const std::vector<RankSign>& signs) {
  const bool late = now - looked_ > kLatePeriods * period() + std::chrono::seconds(1);
  looked_ = now;
  if (late) moved_ = now;
  // Who came or went: a change of the whole.
  if (signs.size() != ranks_.size()) moved_ = now;
  std::map<int, Seen> seen;
  for (const RankSign& sign : signs) {
    const auto before = ranks_.find(sign.rank);
    Seen& rank = seen[sign.rank];
    rank = before == ranks_.end() ? Seen{sign.steps, sign.heard} : before->second;
    rank.moved = std::max(rank.moved, sign.heard);
    if (rank.steps != sign.steps) rank = {sign.steps, now};
    moved_ = std::max(moved_, rank.moved);
  }
  ranks_ = std::move(seen);
  return now - moved_ >= limit_;
}

std::string read_doing(const std::string& root, pid_t pid) {
  const std::string process = fmt::format("{}/proc/{}/", root, pid);
  std::ifstream file(process + "stat");
  std::string line;
  std::getline(file, line);
  // The name of the program, in brackets, may hold anything.
  const auto end = line.rfind(") ");
  if (end == std::string::npos || end + 2 >= line.size()) return "";
  std::string words = state_words(line[end + 2]);
  std::ifstream channel(process + "wchan");
  std::string where;
  std::getline(channel, where);
  // "0" where the kernel hides it, or there is none.
  if (!where.empty() && where != "0") words += " in " + where;
  return words;
}

std::vector<std::string> silence_lines(const Stillness& stillness, Time now,
                                       const std::vector<RankSign>& signs,
                                       const std::vector<std::string>& doing, std::size_t most) {
  CHECK_EQ(signs.size(), doing.size());
  std::vector<std::size_t> order(signs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return stillness.moved(signs[a].rank) < stillness.moved(signs[b].rank);
  });
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < order.size() && i < most; ++i) {
    const RankSign& sign = signs[order[i]];
    std::string line = fmt::format("rank {}: silent for {:.1f} s", sign.rank,
                                   to_seconds(now - stillness.moved(sign.rank)));
    if (!doing[order[i]].empty()) line += ", " + doing[order[i]];
    lines.push_back(std::move(line));
  }
  if (signs.size() > most) lines.push_back(fmt::format("and {} others", signs.size() - most));
  return lines;
}

}  // namespace ringmaster::launcher
