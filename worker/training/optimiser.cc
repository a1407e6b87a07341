// SPDX-License-Identifier: Apache-2.0
#include "worker/training/optimiser.h"

#include <cmath>
#include <numbers>

#include "base/check.h"

namespace ringmaster::training {

void Optimiser::apply(std::span<float> parameters, std::span<float> velocity,
                      std::span<const float> gradient_sums, float scale, float rate) const {
  CHECK_EQ(parameters.size(), velocity.size());
  CHECK_EQ(parameters.size(), gradient_sums.size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const float slope = gradient_sums[i] * scale + weight_decay * parameters[i];
    velocity[i] = momentum * velocity[i] + slope;
    parameters[i] -= rate * (slope + momentum * velocity[i]);
  }
}

double learning_rate(std::int64_t step, std::int64_t steps, double peak) {
  CHECK_LE(0, step);
  CHECK_LT(step, steps);
  // A sixth of the run to warm up: shorter diverges now and then at these rates, longer wastes.
  const double warm_up = static_cast<double>(steps) / 6;
  const double at = static_cast<double>(step) + 0.5;
  if (at < warm_up) return peak * at / warm_up;
  const double rest = (at - warm_up) / (static_cast<double>(steps) - warm_up);
  return peak * 0.5 * (1 + std::cos(std::numbers::pi * rest));
}

}  // namespace ringmaster::training
