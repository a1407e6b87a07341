// SPDX-License-Identifier: Apache-2.0
#include "worker/training/run_plan.h"

#include <algorithm>

#include "worker/training/sampler.h"

namespace ringmaster::training {

RunPlan make_run_plan(const TrainSettings& settings, std::int64_t train_images) {
  RunPlan plan;
  plan.model = &find_model(settings.model);
  plan.epochs = settings.epochs == 0 ? plan.model->epochs : settings.epochs;
  plan.learning_rate =
      settings.learning_rate == 0 ? plan.model->learning_rate : settings.learning_rate;
  plan.batch = settings.batch == 0 ? plan.model->batch : settings.batch;
  plan.seed = settings.seed;
  plan.train_images = train_images;
  plan.scheduled_steps = plan.epochs * steps_per_epoch(train_images, plan.batch);
  plan.steps =
      settings.steps == 0 ? plan.scheduled_steps : std::min(settings.steps, plan.scheduled_steps);
  plan.bucket = static_cast<std::size_t>(settings.bucket) / sizeof(float);
  CHECK_LT(std::size_t{0}, plan.bucket);
  plan.overlap = settings.overlap == "on";
  plan.timeline = settings.timeline;
  return plan;
}

}  // namespace ringmaster::training
