// SPDX-License-Identifier: Apache-2.0
#include "worker/training/run_plan.h"

#include <gtest/gtest.h>

namespace ringmaster::training {
namespace {

TEST(RunPlan, ZerosMeanWhatSuitsTheModel) {
  for (const Model& model : models()) {
    TrainSettings settings;
    settings.model = model.name;
    const RunPlan plan = make_run_plan(settings, 60000);
    EXPECT_EQ(plan.epochs, model.epochs);
    EXPECT_EQ(plan.batch, model.batch);
    EXPECT_EQ(plan.learning_rate, model.learning_rate);
    EXPECT_EQ(plan.steps, plan.scheduled_steps);
    EXPECT_EQ(plan.steps, model.epochs * ((60000 + model.batch - 1) / model.batch));
  }
}

TEST(RunPlan, TakesWhatTheUserSays) {
  TrainSettings settings;
  const Flags flags = settings.flags();
  auto parsed = parse_flags(flags,
                            {"--model", "tiny", "--epochs", "2", "--batch=30", "--steps", "5",
                             "--learning-rate", "0.5", "--bucket", "400", "--seed", "9"},
                            Rest::none);
  ASSERT_TRUE(parsed.ok());
  const RunPlan plan = make_run_plan(settings, 100);
  EXPECT_EQ(plan.model->name, "tiny");
  EXPECT_EQ(plan.scheduled_steps, 8);
  EXPECT_EQ(plan.steps, 5);
  EXPECT_EQ(plan.learning_rate, 0.5);
  EXPECT_EQ(plan.bucket, 100U);
  EXPECT_EQ(plan.seed, 9);
  settings.steps = 1000;
  EXPECT_EQ(make_run_plan(settings, 100).steps, 8);
}

TEST(RunPlan, RefusesWhatMakesNoSense) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--model", "cn"},
                                                    {"--batch", "-1"},
                                                    {"--epochs", "1.5"},
                                                    {"--learning-rate", "nan"},
                                                    {"--bucket", "3"},
                                                    {"--images", "9999999"},
                                                    {"word"}}) {
    TrainSettings settings;
    EXPECT_FALSE(parse_flags(settings.flags(), arguments, Rest::none).ok()) << arguments[0];
  }
}

}  // namespace
}  // namespace ringmaster::training
