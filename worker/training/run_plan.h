// SPDX-License-Identifier: Apache-2.0
//
// RunPlan: a run's sizes, with every "0: what suits the model" resolved.
//
// Pure. Not here: the flags (settings.h).
#pragma once

#include <cstdint>

#include "worker/training/network.h"
#include "worker/training/settings.h"

namespace ringmaster::training {

struct RunPlan {
  const Model* model = nullptr;
  std::int64_t epochs = 0;
  std::int64_t batch = 0;
  std::int64_t seed = 0;
  std::int64_t train_images = 0;
  std::int64_t scheduled_steps = 0;  // of all epochs: what the learning rate follows
  std::int64_t steps = 0;            // where the run ends
  double learning_rate = 0;          // its peak
  std::size_t bucket = 0;            // floats reduced at once
  bool overlap = false;              // gradients are reduced while others are computed
  std::string timeline;              // a file, or ""
};

RunPlan make_run_plan(const TrainSettings& settings, std::int64_t train_images);

}  // namespace ringmaster::training
