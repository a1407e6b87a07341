// SPDX-License-Identifier: Apache-2.0
#include "worker/save_cadence.h"

#include <algorithm>

namespace ringmaster::worker {

namespace {

/// The pace changes (the first steps are slow, an evaluation comes in between): no gap grows faster
/// than this, so that a guess from a few quick steps does not put a check off for long.
constexpr std::int64_t kGapGrowthMax = 2;
/// A message from outside may hold anything.
constexpr Duration kPeriodMax = std::chrono::hours(24 * 365);
/// Checks in one period: the last one before a save falls due is at most this part of it away.
constexpr int kChecksPerPeriod = 8;

}  // namespace

void SaveCadence::begin(const SavePolicy& policy, std::int64_t steps, Time now) {
  if (!began_) saved_at_ = now;
  began_ = true;
  policy_ = {policy.every, std::min(policy.period, kPeriodMax)};
  next_check_ = steps + 1;
  last_check_ = steps;
  last_check_at_ = now;
  last_gap_ = 1;
}

bool SaveCadence::due_by_steps(std::int64_t steps) const {
  return policy_.every > 0 && steps % policy_.every == 0;
}

SaveVerdict SaveCadence::decide(std::int64_t steps, Time now, bool asked) const {
  const Duration step_time = std::max(
      Duration{1}, (now - last_check_at_) / std::max<std::int64_t>(1, steps - last_check_));
  const bool timed = policy_.period > Duration{};
  // Half a step early is nearer than half a step late.
  const bool due = timed && now + step_time / 2 >= saved_at_ + policy_.period;
  Duration ahead = kCheckPeriod;
  if (timed) {
    const Duration left = due || asked ? policy_.period : saved_at_ + policy_.period - now;
    ahead = std::min({ahead, policy_.period / kChecksPerPeriod, left});
  }
  const std::int64_t gap =
      std::clamp<std::int64_t>(ahead / step_time, 1, last_gap_ * kGapGrowthMax);
  return {due || asked ? 1 : 0, steps + gap};
}

void SaveCadence::follow(const SaveVerdict& verdict, std::int64_t steps, Time now) {
  next_check_ = std::max(verdict.next_check, steps + 1);
  last_gap_ = next_check_ - steps;
  last_check_ = steps;
  last_check_at_ = now;
}

}  // namespace ringmaster::worker
