// SPDX-License-Identifier: Apache-2.0
#include "launcher/commands/allreduce_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/check.h"

namespace ringmaster::launcher {

namespace {

// From here on the time is that of moving bytes; below, that of telling each other.
constexpr std::int64_t kLarge = 65536;

/// The one-sided 95 % quantile of Student's t for n - 1 degrees of freedom.
double student_t(std::size_t n) {
  static constexpr std::array<double, 10> kTable = {6.314, 2.920, 2.353, 2.132, 2.015,
                                                    1.943, 1.895, 1.860, 1.833, 1.812};
  if (n - 2 < kTable.size()) return kTable[n - 2];
  // Within 0.4 % from 11 degrees on.
  return 1.645 + 1.52 / static_cast<double>(n - 1);
}

struct Goal {
  double least, mean;
};

Goal goal_of(std::int64_t ranks, bool shared) {
  if (ranks == 2) return shared ? Goal{2.3, 2.9} : Goal{1.5, 2.0};
  return shared ? Goal{2.5, 4.0} : Goal{1.6, 2.4};
}

const Contender* fastest_peer(const std::vector<Contender>& all, std::int64_t bytes,
                              std::size_t runs) {
  const Contender* best = nullptr;
  for (const Contender& one : all) {
    const auto found = one.times.find(bytes);
    if (one.ours || found == one.times.end() || found->second.medians.size() != runs) continue;
    const auto time = [&](const Contender& of) {
      return spread_of(of.times.at(bytes).medians).p50;
    };
    if (best == nullptr || time(one) < time(*best)) best = &one;
  }
  return best;
}

}  // namespace

RatioBounds bounds_of(const std::vector<double>& ratios) {
  CHECK(!ratios.empty());
  const auto n = static_cast<double>(ratios.size());
  double sum = 0, squares = 0;
  for (const double ratio : ratios) sum += std::log(ratio);
  const double mean = sum / n;
  for (const double ratio : ratios) squares += (std::log(ratio) - mean) * (std::log(ratio) - mean);
  if (ratios.size() == 1) return {std::exp(mean), std::exp(mean), std::exp(mean)};
  const double error = student_t(ratios.size()) * std::sqrt(squares / (n - 1) / n);
  return {std::exp(mean), std::exp(mean - error), std::exp(mean + error)};
}

std::vector<AllreduceRow> allreduce_rows(int ranks, const std::vector<Contender>& all,
                                         const Machine& machine) {
  std::vector<AllreduceRow> rows;
  for (const Contender& ours : all) {
    if (!ours.ours) continue;
    for (const auto& [bytes, times] : ours.times) {
      AllreduceRow row{ranks, bytes, ours.name, spread_of(times.medians), median_of(times.p99s)};
      const Contender* peer = fastest_peer(all, bytes, times.medians.size());
      if (peer != nullptr) {
        const auto& theirs = peer->times.at(bytes);
        row.peer = peer->name;
        row.theirs = spread_of(theirs.medians);
        row.theirs_p99 = median_of(theirs.p99s);
        std::vector<double> ratios;
        for (std::size_t i = 0; i < times.medians.size(); ++i) {
          ratios.push_back(times.medians[i] / theirs.medians[i]);
        }
        row.slower = bounds_of(ratios);
      }
      const double moved = 2.0 * ranks * static_cast<double>(bytes);
      if (moved > machine.cache_bytes) {
        row.share = moved / machine.stream_bytes_per_s * 1e6 / row.ours.p50;
      }
      rows.push_back(row);
    }
  }
  return rows;
}

std::vector<Bar> allreduce_bars(const std::vector<AllreduceRow>& rows) {
  std::vector<Bar> bars;
  for (std::size_t first = 0, last = 0; first < rows.size(); first = last) {
    const auto together = [&](const AllreduceRow& row) {
      return row.ranks == rows[first].ranks && row.memory == rows[first].memory;
    };
    double least = HUGE_VAL, logs = 0, compared = 0, slower = 0;
    for (last = first; last < rows.size() && together(rows[last]); ++last) {
      const AllreduceRow& row = rows[last];
      if (row.peer.empty()) continue;
      slower += row.slower.low > 1 ? 1 : 0;
      if (row.bytes < kLarge) continue;
      least = std::min(least, 1 / row.slower.mean);
      logs -= std::log(row.slower.mean);
      ++compared;
    }
    const AllreduceRow& any = rows[first];
    if (any.peer.empty()) continue;
    const std::string what = fmt::format("{} ranks, {} memory", any.ranks, any.memory);
    bars.push_back({what + ", sizes at which a peer is faster", slower, 0, false});
    if (compared == 0 || (any.ranks != 2 && any.ranks != 4 && any.ranks != 8)) continue;
    const Goal goal = goal_of(any.ranks, any.memory != "ordinary");
    bars.push_back({what + ", from 64 KiB, least speed-up", least, goal.least, true});
    bars.push_back(
        {what + ", from 64 KiB, mean speed-up", std::exp(logs / compared), goal.mean, true});
  }
  return bars;
}

std::string allreduce_table(const std::vector<AllreduceRow>& rows) {
  std::string text =
      "ranks  memory          bytes     ours us   ours p99     peer us   peer p99  speed-up  "
      "95 % bounds  of stream  fastest peer\n";
  for (const AllreduceRow& row : rows) {
    text += fmt::format("{:>5}  {:<10} {:>10} {:>11.2f} {:>10.2f}", row.ranks, row.memory,
                        row.bytes, row.ours.p50, row.ours_p99);
    if (!row.peer.empty()) {
      text +=
          fmt::format(" {:>11.2f} {:>10.2f} {:>8.2f}x  {:>5.2f} {:>5.2f}", row.theirs.p50,
                      row.theirs_p99, 1 / row.slower.mean, 1 / row.slower.high, 1 / row.slower.low);
      text += row.share > 0 ? fmt::format(" {:>8.0f} %", row.share * 100) : std::string(11, ' ');
      text += "  " + row.peer;
    }
    text += "\n";
  }
  return text;
}

std::vector<BenchLine> allreduce_lines(const std::vector<AllreduceRow>& rows) {
  std::vector<BenchLine> lines;
  for (const AllreduceRow& row : rows) {
    BenchLine line{"allreduce", "time", "us"};
    line.numbers = {{"ranks", row.ranks}, {"bytes", row.bytes}};
    const auto add = [&](const char* metric, const char* unit, const std::string& library,
                         const Spread& spread) {
      line.metric = metric;
      line.unit = unit;
      line.texts = {{"library", library}, {"memory", row.memory}};
      line.spread = spread;
      lines.push_back(line);
    };
    const auto one = [](double value) { return spread_of({value}); };
    add("time", "us", "ringmaster", row.ours);
    add("p99 time", "us", "ringmaster", one(row.ours_p99));
    if (row.share > 0) add("share of stream", "1", "ringmaster", one(row.share));
    if (row.peer.empty()) continue;
    add("time", "us", row.peer, row.theirs);
    add("p99 time", "us", row.peer, one(row.theirs_p99));
    add("speed-up", "x", row.peer, one(1 / row.slower.mean));
    add("speed-up, lower 95 % bound", "x", row.peer, one(1 / row.slower.high));
    add("speed-up, upper 95 % bound", "x", row.peer, one(1 / row.slower.low));
  }
  return lines;
}

}  // namespace ringmaster::launcher
