// SPDX-License-Identifier: Apache-2.0
//
// What the times of all-reduces say: ours beside the fastest peer of each size, as paired ratios.
//
// Repeats lie next to each other in time, so the ratio within one repeat loses what the machine did
// meanwhile. Of the ratios' logarithms the mean and its one-sided 95 % bounds are taken (Student's
// t): ours is slower than a peer where the lower bound of ours/theirs is above 1.
//
// Pure.
#pragma once

#include <string>
#include <vector>

#include "launcher/commands/allreduce_peers.h"
#include "launcher/commands/bench_results.h"

namespace ringmaster::launcher {

/// A mean of ratios with its bounds.
struct RatioBounds {
  double mean = 0, low = 0, high = 0;
};

/// `ratios` must not be empty; with a single one the bounds are the mean.
RatioBounds bounds_of(const std::vector<double>& ratios);

struct AllreduceRow {
  std::int64_t ranks = 0, bytes = 0;
  std::string memory = {};  // of ours
  Spread ours = {};         // of the runs' medians, us
  double ours_p99 = 0;      // median of the runs' p99, us
  std::string peer = {};    // the fastest, "" without any
  Spread theirs = {};
  double theirs_p99 = 0;
  RatioBounds slower = {};  // ours / theirs
  double share = 0;         // of the memory's stream limit; 0: not for this size
};

/// What this machine's memory moves, and how much its caches hold.
struct Machine {
  double stream_bytes_per_s = 0;
  double cache_bytes = 0;
};

/// A row for each kind of memory and size.
std::vector<AllreduceRow> allreduce_rows(int ranks, const std::vector<Contender>& all,
                                         const Machine& machine);

/// The bars of 2, 4 and 8 ranks, for the sizes that were measured.
std::vector<Bar> allreduce_bars(const std::vector<AllreduceRow>& rows);

std::string allreduce_table(const std::vector<AllreduceRow>& rows);
std::vector<BenchLine> allreduce_lines(const std::vector<AllreduceRow>& rows);

}  // namespace ringmaster::launcher
