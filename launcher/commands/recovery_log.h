// SPDX-License-Identifier: Apache-2.0
//
// What the ranks of the recovery benchmark write down, and what its driver reads out of it: who
// finished the first all-reduce of which generation when.
//
// The ranks stamp the time themselves (CLOCK_MONOTONIC is one clock for all processes of a host),
// so that how often the driver looks changes nothing in what is measured.
//
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace ringmaster::launcher {

struct FirstReduce {
  int rank = 0;
  int pid = 0;
  std::int64_t generation = 0;
  int world = 0;
  Time time = {};
};

std::string format_line(const FirstReduce& line);
std::optional<FirstReduce> parse_line(std::string_view line);

class RecoveryLog {
 public:
  /// Takes in what was appended; an unfinished last line waits for its rest. False: damaged.
  bool append(std::string_view bytes);

  /// The newest generation above `after` in which all of `world` ranks reduced.
  std::optional<std::int64_t> whole_generation(int world, std::int64_t after) const;
  /// When the last of its ranks had.
  Time completed(std::int64_t generation) const;
  /// When every rank but those in `lost` had its first all-reduce above generation `after`.
  std::optional<Time> survivors_went_on(int world, const std::set<int>& lost,
                                        std::int64_t after) const;
  /// The process of a rank in a generation.
  std::optional<int> pid_of(int rank, std::int64_t generation) const;

 private:
  std::vector<FirstReduce> lines_ = {};
  std::string rest_ = {};
};

}  // namespace ringmaster::launcher
