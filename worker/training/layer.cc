// SPDX-License-Identifier: Apache-2.0
#include "worker/training/layer.h"

#include <cmath>
#include <numbers>

namespace ringmaster::training {

void initialise_he(std::span<float> weights, std::size_t fan_in, Random* random) {
  CHECK_LT(std::size_t{0}, fan_in);
  const double deviation = std::sqrt(2.0 / static_cast<double>(fan_in));
  for (float& weight : weights) {
    // Box and Muller: 1 - unit() is never 0, so the logarithm is finite.
    const double radius = std::sqrt(-2.0 * std::log(1.0 - random->unit()));
    const double angle = 2.0 * std::numbers::pi * random->unit();
    weight = static_cast<float>(deviation * radius * std::cos(angle));
  }
}

}  // namespace ringmaster::training
