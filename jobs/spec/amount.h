// SPDX-License-Identifier: Apache-2.0
//
// Amounts with their units, as a spec writes them: "30s", "1.5h", "500 steps".
//
// A number without a unit is refused, not guessed: half of the tools take seconds, the other half
// milliseconds. Fractions are exact: what is no whole number of nanoseconds is refused as well.
//
// Pure. An error says why, for a message that already names the key.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "base/time.h"

namespace ringmaster::jobs {

/// Finished training steps.
struct Steps {
  std::int64_t count = 1;
  bool operator==(const Steps&) const = default;
};

/// How often something is done.
using Period = std::variant<Duration, Steps>;

inline constexpr Duration kPeriodMin = std::chrono::milliseconds(1);  // below, nothing else is done
inline constexpr Duration kPeriodMax = std::chrono::hours(720);
inline constexpr std::int64_t kPeriodStepsMax = 1'000'000'000;

/// Not negative; fits into a Duration.
Result<Duration> parse_duration(std::string_view text);

/// In the largest unit that leaves a whole number: "90m", "1500ms".
std::string duration_text(Duration duration);

/// A duration or "N steps", within the bounds above.
Result<Period> parse_period(std::string_view text);
std::string period_text(const Period& period);

}  // namespace ringmaster::jobs
