// SPDX-License-Identifier: Apache-2.0
//
// The trainer in a world of one, without a launcher; what several ranks do is in tests/.
#include "worker/training/trainer.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "worker/training/ledger.h"
#include "worker/training/synthetic_data.h"

namespace ringmaster::training {
namespace {

class TrainerRun : public testing::Test {
 protected:
  TrainerRun() {
    std::string folder = testing::TempDir() + "trainer.XXXXXX";
    CHECK(::mkdtemp(folder.data()) != nullptr);
    folder_ = folder;
    settings_.model = "tiny";
    settings_.epochs = 4;
    settings_.batch = 32;
    settings_.metrics = folder + "/run.jsonl";
  }
  ~TrainerRun() override { std::filesystem::remove_all(folder_); }

  Result<TrainResult> run() {
    auto metrics = MetricsFile::open(settings_.metrics);
    if (!metrics) return metrics.error();
    auto session = worker::Session::open();
    if (!session) return session.error();
    return Trainer(make_run_plan(settings_, 500), &*session, &*metrics, &train_, &test_).run();
  }
  /// The step lines of the metrics file.
  std::vector<StepRecord> records() const {
    std::vector<StepRecord> read;
    std::ifstream file(settings_.metrics);
    for (std::string line; std::getline(file, line);) {
      if (line.find(R"("event":"step")") == std::string::npos) continue;
      read.push_back({.step = number(line, "step"),
                      .epoch = number(line, "epoch"),
                      .generation = number(line, "generation"),
                      .first = number(line, "first"),
                      .images = number(line, "images"),
                      .counted = number(line, "counted"),
                      .rank = static_cast<int>(number(line, "rank"))});
    }
    return read;
  }
  static std::int64_t number(const std::string& line, const std::string& name) {
    const auto at = line.find("\"" + name + "\":");
    CHECK(at != std::string::npos);
    return std::strtoll(line.c_str() + at + name.size() + 3, nullptr, 10);
  }

  std::string folder_;
  TrainSettings settings_;
  const Dataset train_ = make_synthetic_data(500, 1), test_ = make_synthetic_data(100, 2);
};

TEST_F(TrainerRun, LearnsAndKeepsItsLedger) {
  auto result = run();
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_LT(0.9, result->facts.accuracy);
  EXPECT_EQ(result->facts.steps, 64);
  auto ledger = check_ledger(records(), 64, 500);
  ASSERT_TRUE(ledger.ok()) << ledger.error().message;
  EXPECT_EQ(ledger->epochs, 4);
  EXPECT_EQ(ledger->images, 2000);
}

TEST_F(TrainerRun, TheSameSeedGivesTheSameWeights) {
  auto first = run(), again = run();
  ASSERT_TRUE(first.ok() && again.ok());
  EXPECT_EQ(first->facts.weights, again->facts.weights);
  EXPECT_EQ(records().size(), 64U);  // the second run emptied the file
  settings_.bucket = 100;            // pieces change nothing
  auto pieces = run();
  ASSERT_TRUE(pieces.ok());
  EXPECT_EQ(first->facts.weights, pieces->facts.weights);
  settings_.overlap = "on";  // nor does when they are reduced
  auto overlapped = run();
  ASSERT_TRUE(overlapped.ok());
  EXPECT_EQ(first->facts.weights, overlapped->facts.weights);
  settings_.seed = 2;
  auto other = run();
  ASSERT_TRUE(other.ok());
  EXPECT_NE(first->facts.weights, other->facts.weights);
}

TEST_F(TrainerRun, EndsEarlyWhenAsked) {
  settings_.steps = 20;
  auto result = run();
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->facts.steps, 20);
  auto ledger = check_ledger(records(), 20, 500);
  ASSERT_TRUE(ledger.ok()) << ledger.error().message;
  EXPECT_EQ(ledger->epochs, 1);
}

TEST_F(TrainerRun, SaysWhenTheDiskIsFull) {
  settings_.metrics = "/dev/full";
  auto result = run();
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message, "write metrics file /dev/full: No space left on device");
}

TEST_F(TrainerRun, SaysWhenTheTimelineCannotBeWritten) {
  settings_.timeline = "/dev/full";
  auto result = run();
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message, "write timeline /dev/full: No space left on device");
}

TEST_F(TrainerRun, SaysWhenTheLossIsLost) {
  settings_.learning_rate = 1e10;
  auto result = run();
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().message.find("the loss is not finite"), std::string::npos);
}

TEST(Trainer, TheHashSeesEveryBit) {
  const std::vector<float> weights = {1, 2, 3};
  EXPECT_EQ(hash_weights(weights), hash_weights(std::vector<float>{1, 2, 3}));
  EXPECT_NE(hash_weights(weights), hash_weights(std::vector<float>{1, 3, 2}));
  EXPECT_NE(hash_weights(std::vector<float>{0.0F}), hash_weights(std::vector<float>{-0.0F}));
}

}  // namespace
}  // namespace ringmaster::training
