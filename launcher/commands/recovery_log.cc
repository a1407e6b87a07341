// SPDX-License-Identifier: Apache-2.0
#include "launcher/commands/recovery_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

namespace ringmaster::launcher {

std::string format_line(const FirstReduce& line) {
  return fmt::format("{} {} {} {} {}\n", line.rank, line.pid, line.generation, line.world,
                     line.time.time_since_epoch().count());
}

namespace {

/// Takes one number and the blank behind it off `text`.
template <class Number>
bool take(std::string_view& text, Number& number) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (text.empty()) return true;
  if (text.front() != ' ') return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::optional<FirstReduce> parse_line(std::string_view text) {
  FirstReduce line;
  std::int64_t time = 0;
  const bool read = take(text, line.rank) && take(text, line.pid) && take(text, line.generation) &&
                    take(text, line.world) && take(text, time) && text.empty();
  if (!read) return std::nullopt;
  line.time = Time(Duration(time));
  return line;
}

bool RecoveryLog::append(std::string_view bytes) {
  rest_ += bytes;
  std::size_t begin = 0;
  for (auto end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n', begin)) {
    const auto line = parse_line(std::string_view(rest_).substr(begin, end - begin));
    if (!line) return false;
    lines_.push_back(*line);
    begin = end + 1;
  }
  rest_.erase(0, begin);
  return true;
}

std::optional<std::int64_t> RecoveryLog::whole_generation(int world, std::int64_t after) const {
  std::map<std::int64_t, std::set<int>> ranks;
  for (const FirstReduce& line : lines_) {
    if (line.generation > after && line.world == world) ranks[line.generation].insert(line.rank);
  }
  for (auto at = ranks.rbegin(); at != ranks.rend(); ++at) {
    if (static_cast<int>(at->second.size()) == world) return at->first;
  }
  return std::nullopt;
}

Time RecoveryLog::completed(std::int64_t generation) const {
  Time latest{};
  for (const FirstReduce& line : lines_) {
    if (line.generation == generation) latest = std::max(latest, line.time);
  }
  return latest;
}

std::optional<Time> RecoveryLog::survivors_went_on(int world, const std::set<int>& lost,
                                                   std::int64_t after) const {
  std::map<int, Time> first;
  for (const FirstReduce& line : lines_) {
    if (line.generation <= after || lost.contains(line.rank)) continue;
    const auto [at, added] = first.emplace(line.rank, line.time);
    if (!added) at->second = std::min(at->second, line.time);
  }
  if (static_cast<int>(first.size() + lost.size()) < world) return std::nullopt;
  Time latest{};
  for (const auto& [rank, time] : first) latest = std::max(latest, time);
  return latest;
}

std::optional<int> RecoveryLog::pid_of(int rank, std::int64_t generation) const {
  for (const FirstReduce& line : lines_) {
    if (line.rank == rank && line.generation == generation) return line.pid;
  }
  return std::nullopt;
}

}  // namespace ringmaster::launcher
