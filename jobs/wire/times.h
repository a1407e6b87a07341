// SPDX-License-Identifier: Apache-2.0
//
// Times in messages: nanoseconds of the writer's monotonic clock.
#pragma once

#include <cstdint>

#include "base/time.h"

namespace ringmaster::jobs {

inline Time time_of(std::int64_t ns) {
  return Time(std::chrono::nanoseconds(ns));
}
inline std::int64_t ns_of(Time time) {
  return time.time_since_epoch().count();
}

}  // namespace ringmaster::jobs
