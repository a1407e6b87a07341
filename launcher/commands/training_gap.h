// SPDX-License-Identifier: Apache-2.0
//
// What a training run saw of a loss: the pause between two finished steps, beyond a usual step.
//
// It is more than the ring's healing: the step that was under way is computed again, and fewer
// ranks share it. That is the price a user pays, so it stands beside the ring's own figure.
//
// Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "launcher/report/metrics.h"

namespace ringmaster::launcher {

/// For each generation that lost a rank: the milliseconds between the last step finished before it
/// and the first one in it, less the median time of a step.
Result<std::vector<double>> training_gaps_ms(const Metrics& metrics);

}  // namespace ringmaster::launcher
