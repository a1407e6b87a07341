// SPDX-License-Identifier: Apache-2.0
#include "base/time.h"

#include <ctime>

namespace ringmaster {

Time read_clock() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return Time(std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec));
}

double read_wall_seconds() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace ringmaster
