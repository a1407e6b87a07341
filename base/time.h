// SPDX-License-Identifier: Apache-2.0
//
// Time as values. `Time` is a point on the machine's monotonic clock, `WallTime` what a person
// reads on a calendar. Pure code takes them as arguments; only a shell calls the two functions.
#pragma once

#include <chrono>
#include <cstdint>

namespace ringmaster {

using Duration = std::chrono::nanoseconds;

struct MonotonicClock {
  using duration = Duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<MonotonicClock, duration>;
  static constexpr bool is_steady = true;
};

/// Nanoseconds of CLOCK_MONOTONIC: comparable between the processes of one host.
using Time = MonotonicClock::time_point;

/// Reads CLOCK_MONOTONIC. Not for pure code.
Time read_clock();

/// Seconds since 1970, for records that people read. Not for pure code, never for deadlines.
double read_wall_seconds();

inline double to_seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}
inline double to_milliseconds(Duration duration) { return to_seconds(duration) * 1e3; }

}  // namespace ringmaster
