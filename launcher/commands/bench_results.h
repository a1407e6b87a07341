// SPDX-License-Identifier: Apache-2.0
//
// The face of a benchmark's results: one JSON line a metric and a summary object at the end, with
// the bars that it had to meet; drawings of them. Scripts rely on the fields; they may be added,
// never renamed.
//
// Pure, but for write_svg.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace ringmaster::launcher {

/// Order statistics of some measurements.
struct Spread {
  double p50 = 0, p95 = 0, p99 = 0, min = 0, max = 0;
  std::size_t samples = 0;
};

/// `values` must not be empty.
Spread spread_of(std::vector<double> values);
double median_of(std::vector<double> values);

struct BenchLine {
  std::string bench, metric, unit;
  std::vector<std::pair<std::string, std::int64_t>> numbers = {};  // of "params"
  std::vector<std::pair<std::string, std::string>> texts = {};     // of "params"
  Spread spread = {};
};

/// Something promised: `value` at most `bar`, or at least when `at_least`.
struct Bar {
  std::string name;
  double value = 0, bar = 0;
  bool at_least = false;
  bool met() const { return at_least ? value >= bar : value <= bar; }
};

std::string line_json(const BenchLine& line);
std::string bars_json(const std::string& bench, const std::vector<Bar>& bars);

/// "  met     survivors p95: 12.3 ms, at most 50 ms" a line.
std::string bars_text(const std::vector<Bar>& bars, const std::string& unit);

/// "1,2,4" as numbers from 1 to 1024; `flag` is for the message.
Result<std::vector<int>> parse_counts(std::string_view flag, std::string_view text);

/// Writes a picture over what may be there.
Result<void> write_svg(const std::string& path, const std::string& svg);

bool all_met(const std::vector<Bar>& bars);

}  // namespace ringmaster::launcher
