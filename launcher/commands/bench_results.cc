// SPDX-License-Identifier: Apache-2.0
#include "launcher/commands/bench_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "launcher/report/summary.h"

namespace ringmaster::launcher {

using Json = nlohmann::ordered_json;

Spread spread_of(std::vector<double> values) {
  CHECK(!values.empty());
  std::sort(values.begin(), values.end());
  return {quantile(values, 0.50), quantile(values, 0.95), quantile(values, 0.99),
          values.front(),         values.back(),          values.size()};
}

double median_of(std::vector<double> values) {
  return spread_of(std::move(values)).p50;
}

std::string line_json(const BenchLine& line) {
  Json params = Json::object();
  for (const auto& [name, value] : line.numbers) params[name] = value;
  for (const auto& [name, value] : line.texts) params[name] = value;
  const Spread& s = line.spread;
  const Json json = {{"bench", line.bench},   {"impl", "ringmaster"}, {"params", params},
                     {"metric", line.metric}, {"unit", line.unit},    {"p50", s.p50},
                     {"p95", s.p95},          {"p99", s.p99},         {"min", s.min},
                     {"max", s.max},          {"samples", s.samples}};
  return json.dump();
}

std::string bars_json(const std::string& bench, const std::vector<Bar>& bars) {
  Json list = Json::array();
  for (const Bar& bar : bars) {
    list.push_back(
        {{"name", bar.name}, {"value", bar.value}, {"bar", bar.bar}, {"met", bar.met()}});
  }
  return Json{{"bench", bench}, {"summary", {{"bars", list}}}}.dump();
}

std::string bars_text(const std::vector<Bar>& bars, const std::string& unit) {
  std::string text;
  for (const Bar& bar : bars) {
    text +=
        fmt::format("  {:<7} {}: {:.4g}{}, {} {:.4g}{}\n", bar.met() ? "met" : "MISSED", bar.name,
                    bar.value, unit, bar.at_least ? "at least" : "at most", bar.bar, unit);
  }
  return text;
}

Result<std::vector<int>> parse_counts(std::string_view flag, std::string_view text) {
  constexpr int kMost = 1024;
  std::vector<int> counts;
  for (std::string_view rest = text;;) {
    int number = 0;
    const auto [end, code] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    const bool right = code == std::errc() && number >= 1 && number <= kMost &&
                       (rest.empty() || rest.front() == ',');
    if (!right) {
      return Error{Errc::invalid,
                   fmt::format("{} {}: not numbers from 1 to {}, as in 1,2,4", flag, text, kMost)};
    }
    counts.push_back(number);
    if (rest.empty()) return counts;
    rest.remove_prefix(1);
  }
}

Result<void> write_svg(const std::string& path, const std::string& svg) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << svg;
  file.close();
  if (!file) return errno_error(errno, fmt::format("write {}", path));
  return {};
}

bool all_met(const std::vector<Bar>& bars) {
  return std::all_of(bars.begin(), bars.end(), [](const Bar& bar) { return bar.met(); });
}

}  // namespace ringmaster::launcher
