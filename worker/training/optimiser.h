// SPDX-License-Identifier: Apache-2.0
//
// Stochastic gradient descent with momentum (Nesterov's form), and the learning rate of each step.
//
// The rate is a function of the step, not a variable that is updated: it need not be part of the
// state that survives a loss. It rises linearly, then falls along half a cosine to 0.
//
// Pure.
#pragma once

#include <cstdint>
#include <span>

namespace ringmaster::training {

struct Optimiser {
  float momentum = 0.9F;
  float weight_decay = 5e-4F;

  /// Applies the gradient of the mean loss: gradient sums times `scale`.
  void apply(std::span<float> parameters, std::span<float> velocity,
             std::span<const float> gradient_sums, float scale, float learning_rate) const;
};

/// The rate of step `step` of `steps`, at most `peak`.
double learning_rate(std::int64_t step, std::int64_t steps, double peak);

}  // namespace ringmaster::training
