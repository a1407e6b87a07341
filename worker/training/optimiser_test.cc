// SPDX-License-Identifier: Apache-2.0
#include "worker/training/optimiser.h"

#include <gtest/gtest.h>

#include <vector>

namespace ringmaster::training {
namespace {

TEST(Optimiser, AppliesScaleMomentumAndDecay) {
  const Optimiser optimiser{.momentum = 0.5F, .weight_decay = 0.25F};
  std::vector<float> weights = {2, -4}, velocity = {1, 0};
  const std::vector<float> sums = {8, 4};
  optimiser.apply(weights, velocity, sums, 0.25F, 0.5F);
  // Slopes 2.5 and 0; velocities 0.5 + 2.5 and 0; steps half of slope + velocity / 2.
  EXPECT_EQ(velocity, (std::vector<float>{3, 0}));
  EXPECT_EQ(weights, (std::vector<float>{0, -4}));
}

TEST(Optimiser, FindsTheMinimumOfAParabola) {
  std::vector<float> weight = {10}, velocity = {0};
  const Optimiser optimiser{.momentum = 0.9F, .weight_decay = 0};
  for (int step = 0; step < 300; ++step) {
    const std::vector<float> slope = {2 * (weight[0] - 3)};
    optimiser.apply(weight, velocity, slope, 1, 0.05F);
  }
  EXPECT_NEAR(weight[0], 3, 1e-3);
}

TEST(Optimiser, TheRateRisesThenFallsToNothing) {
  constexpr std::int64_t kSteps = 600;
  double last = 0;
  for (std::int64_t step = 0; step < 100; ++step) {
    const double rate = learning_rate(step, kSteps, 0.2);
    EXPECT_LT(last, rate);
    last = rate;
  }
  EXPECT_NEAR(last, 0.2, 0.002);
  for (std::int64_t step = 100; step < kSteps; ++step) {
    const double rate = learning_rate(step, kSteps, 0.2);
    EXPECT_LE(rate, last + 0.002);
    EXPECT_LT(0, rate);
    last = rate;
  }
  EXPECT_LT(last, 1e-5);
  EXPECT_LT(0, learning_rate(0, 1, 0.2));
}

}  // namespace
}  // namespace ringmaster::training
