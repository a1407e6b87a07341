// SPDX-License-Identifier: Apache-2.0
//
// What a scaling measurement shows: from the rates of interleaved repeats to speed-ups, a table and
// a plot.
//
// The speed-up of n ranks is the median over the repeats of (rate of n ranks / rate of one rank in
// the same repeat). A machine drifts by more than what is measured here (clock, neighbours); runs
// next to each other in time share the drift, and their ratio loses it.
//
// The ceiling of n ranks is the same ratio for n copies of the program that know nothing of each
// other and split the batch: what the machine itself gives to n processes (shared caches, two
// threads of one core, neighbours). What is missing to the ceiling is the price of communication.
//
// Pure. Not here: running anything (bench_scaling.cc).
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "launcher/commands/bench_results.h"
#include "launcher/report/metrics.h"

namespace ringmaster::launcher {

struct ScalingPoint {
  int ranks = 1;
  Spread rate = {};      // images/s
  Spread speed_up = {};  // against one rank, repeat by repeat
  Spread ceiling = {};   // the speed-up of as many copies without communication
  double efficiency() const { return speed_up.p50 / ranks; }
  double of_ceiling() const { return speed_up.p50 / ceiling.p50; }
};

struct Scaling {
  std::string model = {}, kernel = {};
  int cores = 0;
  std::int64_t batch = 0, steps = 0;
  std::vector<ScalingPoint> points = {};
};

/// Images per second between the end of the first `warm_up` steps and the last step, by the records
/// of the lowest rank. The mean of the steps' own rates would count quick steps too much.
Result<double> rate_after(const Metrics& metrics, std::int64_t warm_up);

/// `rates[i][j]` is the rate of `ranks[i]` ranks in repeat j, `copies[i][j]` that of as many
/// copies; ranks[0] is 1.
std::vector<ScalingPoint> scaling_points(const std::vector<int>& ranks,
                                         const std::vector<std::vector<double>>& rates,
                                         const std::vector<std::vector<double>>& copies);

/// A bar for each number of ranks that has a core of its own for each.
std::vector<Bar> scaling_bars(const Scaling& scaling, double gate);

std::string scaling_table(const Scaling& scaling);

/// A picture that stands alone (an .svg file): points with the range of the repeats, and the ideal.
std::string scaling_svg(const Scaling& scaling);

}  // namespace ringmaster::launcher
