// SPDX-License-Identifier: Apache-2.0
//
// A job that saves its state loses every rank at once, and goes on from the store.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "launcher/report/metrics.h"
#include "tests/end_to_end/coordinator.h"
#include "tests/end_to_end/text.h"
#include "tests/end_to_end/training_data.h"
#include "worker/training/ledger.h"

namespace ringmaster::tests {
namespace {

namespace fs = std::filesystem;

constexpr int kLooks = 1000;
constexpr auto kLook = std::chrono::milliseconds(20);

class CheckpointTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(coordinator_.start());
    store_ = coordinator_.file("store");
    fs::create_directories(store_);
    metrics_ = coordinator_.file("metrics.jsonl");
  }

  std::string spec(const std::string& ranks, const std::string& hosts, int epochs) {
    return coordinator_.write_spec(
        "saved", ranks, hosts,
        {built("ringmaster-train"), "--model", "tiny", "--data", data_folder(), "--batch", "24",
         "--epochs", std::to_string(epochs), "--metrics", metrics_},
        "limits: {restarts: 100}\ncheckpoint: {to: \"file://" + store_ + "\", every: 20 steps}\n");
  }
  std::int64_t durable_step() {
    const Ended status = coordinator_.run({"status", "saved", "--json"});
    const auto object = nlohmann::json::parse(status.output, nullptr, false);
    return object.is_object() ? object.value("durable_step", std::int64_t{-1}) : -1;
  }
  bool wait_for_step(std::int64_t step) {
    for (int round = 0; round < kLooks; ++round) {
      if (durable_step() >= step) return true;
      std::this_thread::sleep_for(kLook);
    }
    return false;
  }
  /// Everything of the job, in one instant.
  void kill_all_ranks_and_agents() {
    for (const auto& host : coordinator_.agents()) {
      for (const pid_t pid : host) ::kill(pid, SIGKILL);
    }
    for (const pid_t pid : coordinator_.ranks()) ::kill(pid, SIGKILL);
  }
  void check_ledger() {
    auto metrics = launcher::read_metrics(metrics_);
    ASSERT_TRUE(metrics.ok()) << metrics.error().message;
    std::vector<training::StepRecord> records;
    for (const auto& step : metrics->steps) {
      records.push_back({step.step, step.epoch, step.generation, step.first, step.images,
                         step.counted, step.rank});
    }
    const auto ledger = training::check_ledger(records, metrics->start.steps, kTrainImages);
    ASSERT_TRUE(ledger.ok()) << ledger.error().message;
    std::set<std::string> weights;
    for (const auto& result : metrics->results) weights.insert(result.weights);
    EXPECT_EQ(weights.size(), 1u);
  }
  std::vector<fs::path> manifests() const {
    std::vector<fs::path> all;
    for (const auto& entry : fs::directory_iterator(store_ + "/saved/manifests")) {
      all.push_back(entry.path());
    }
    std::ranges::sort(all);
    return all;
  }
  void follow_to_the_end() {
    const Ended followed = coordinator_.run({"logs", "-f", "saved"});
    EXPECT_EQ(followed.exit_code, 0) << followed.output << followed.error << coordinator_.log();
    EXPECT_TRUE(coordinator_.no_hosts_left());
    check_ledger();
    const Ended verified = coordinator_.run({"checkpoint", "verify", "file://" + store_, "saved"});
    EXPECT_EQ(verified.exit_code, 0) << verified.output << verified.error;
  }

  Coordinator coordinator_;
  std::string store_, metrics_;
};

TEST_F(CheckpointTest, AJobSavesAndItsCheckpointsAreWhole) {
  const Ended ended =
      coordinator_.run({"submit", spec("3", "{hosts: 2, slots: 2}", 4), "--follow"});
  EXPECT_EQ(ended.exit_code, 0) << ended.error << coordinator_.log();
  EXPECT_LE(20, durable_step()) << coordinator_.log();
  EXPECT_LE(manifests().size(), 3u);  // `keep`
  follow_to_the_end();
}

TEST_F(CheckpointTest, AfterTheLossOfAllRanksTheJobGoesOnFromTheStore) {
  EXPECT_EQ(
      coordinator_.run({"submit", spec("{min: 1, max: 4}", "{hosts: 2, slots: 2}", 20)}).exit_code,
      0);
  ASSERT_TRUE(wait_for_step(40)) << coordinator_.log();
  kill_all_ranks_and_agents();
  follow_to_the_end();
  const std::string told = coordinator_.run({"explain", "saved"}).output;
  EXPECT_TRUE(contains(told,
                       "all ranks that held the state were lost; going on from the "
                       "checkpoint of step "))
      << told;
}

TEST_F(CheckpointTest, ADamagedCheckpointIsPassedOverAndSaidSo) {
  EXPECT_EQ(
      coordinator_.run({"submit", spec("{min: 1, max: 4}", "{hosts: 2, slots: 2}", 20)}).exit_code,
      0);
  ASSERT_TRUE(wait_for_step(60)) << coordinator_.log();
  coordinator_.kill();
  kill_all_ranks_and_agents();
  const std::string newest = manifests().back().filename();
  const auto shard = fs::directory_iterator(store_ + "/saved/shards/" + newest)->path();
  fs::resize_file(shard, fs::file_size(shard) / 2);
  ASSERT_NO_FATAL_FAILURE(coordinator_.start());
  const Ended followed = coordinator_.run({"logs", "-f", "saved"});
  EXPECT_EQ(followed.exit_code, 0) << followed.output << followed.error << coordinator_.log();
  check_ledger();
  const std::string told = coordinator_.run({"explain", "saved"}).output;
  EXPECT_TRUE(contains(told, "passed over: saved/shards/" + newest)) << told;
  EXPECT_TRUE(contains(told, "going on from the checkpoint of step ")) << told;
}

TEST_F(CheckpointTest, AStoreThatIsNotThereFailsTheJobAtOnce) {
  fs::remove_all(store_);
  const Ended ended =
      coordinator_.run({"submit", spec("2", "{hosts: 1, slots: 2}", 4), "--follow"});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_TRUE(contains(ended.error, "checkpoints: ")) << ended.error;
  EXPECT_TRUE(coordinator_.no_hosts_left());
}

}  // namespace
}  // namespace ringmaster::tests
