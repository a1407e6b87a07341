// SPDX-License-Identifier: Apache-2.0
//
// A job that saves its state loses every rank at once, and goes on from the store.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/sanitized.h"
#include "tests/end_to_end/coordinator.h"
#include "tests/end_to_end/ledger.h"
#include "tests/end_to_end/text.h"
#include "tests/end_to_end/training_data.h"

namespace ringmaster::tests {
namespace {

namespace fs = std::filesystem;

constexpr int kLooks = 1000;
constexpr auto kLook = std::chrono::milliseconds(20);
constexpr int kBatch = 24, kEpochs = 4;
constexpr int kLong = kSanitized ? 100 : 150;  // epochs of some seconds

/// A file system of a few megabytes on the folder, seen by this process and what it starts, and
/// gone with them. False when this user may not mount.
bool mount_small_disk(const std::string& folder) {
  return ::unshare(CLONE_NEWNS) == 0 &&
         ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("none", folder.c_str(), "tmpfs", 0, "size=4m") == 0;
}

/// Takes all but the last few pages of the file system.
void fill(const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  const std::string block(16 << 10, 'x');
  while (file.write(block.data(), static_cast<std::streamsize>(block.size())).flush()) {
  }
}

class CheckpointTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(coordinator_.start());
    store_ = coordinator_.file("store");
    fs::create_directories(store_);
    metrics_ = coordinator_.file("metrics.jsonl");
  }

  std::string spec(const std::string& ranks, const std::string& hosts, int epochs,
                   const std::string& every = "20 steps") {
    return coordinator_.write_spec(
        "saved", ranks, hosts,
        {built("ringmaster-train"), "--model", "tiny", "--data", data_folder(), "--batch",
         std::to_string(kBatch), "--epochs", std::to_string(epochs), "--metrics", metrics_},
        "limits: {restarts: 100}\ncheckpoint: {to: \"file://" + store_ + "\", every: " + every +
            "}\n");
  }
  /// A number of the job's status; -1: it has none.
  std::int64_t status_of(const char* name) {
    const Ended status = coordinator_.run({"status", "saved", "--json"});
    const auto object = nlohmann::json::parse(status.output, nullptr, false);
    return object.is_object() ? object.value(name, std::int64_t{-1}) : -1;
  }
  std::int64_t durable_step() { return status_of("durable_step"); }
  bool wait_for(const char* name, std::int64_t least) {
    for (int round = 0; round < kLooks; ++round) {
      if (status_of(name) >= least) return true;
      std::this_thread::sleep_for(kLook);
    }
    return false;
  }
  bool wait_for_step(std::int64_t step) { return wait_for("durable_step", step); }
  /// Everything of the job, in one instant.
  void kill_all_ranks_and_agents() {
    for (const auto& host : coordinator_.agents()) {
      for (const pid_t pid : host) ::kill(pid, SIGKILL);
    }
    for (const pid_t pid : coordinator_.ranks()) ::kill(pid, SIGKILL);
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
    expect_whole_run(metrics_);
    const Ended verified = coordinator_.run({"checkpoint", "verify", "file://" + store_, "saved"});
    EXPECT_EQ(verified.exit_code, 0) << verified.output << verified.error;
  }

  /// Kills the coordinator and everything of a job that has saved; `damage` spoils the newest
  /// checkpoint and gives the key that is to be told as passed over. What was told.
  std::string loses_all_and_its_newest(
      const std::function<std::string(const std::string& newest)>& damage) {
    EXPECT_EQ(coordinator_.run({"submit", spec("{min: 1, max: 4}", "{hosts: 2, slots: 2}", kLong)})
                  .exit_code,
              0);
    EXPECT_TRUE(wait_for_step(60)) << coordinator_.log();
    coordinator_.kill();
    kill_all_ranks_and_agents();
    const std::string key = damage(manifests().back().filename());
    coordinator_.start();
    const Ended followed = coordinator_.run({"logs", "-f", "saved"});
    EXPECT_EQ(followed.exit_code, 0) << followed.output << followed.error << coordinator_.log();
    expect_whole_run(metrics_);
    const std::string told = coordinator_.run({"explain", "saved"}).output;
    EXPECT_TRUE(contains(told, "passed over: " + key)) << told;
    return told;
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
  EXPECT_EQ(coordinator_.run({"submit", spec("{min: 1, max: 4}", "{hosts: 2, slots: 2}", kLong)})
                .exit_code,
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
  const std::string told = loses_all_and_its_newest([&](const std::string& newest) {
    const auto shard = fs::directory_iterator(store_ + "/saved/shards/" + newest)->path();
    fs::resize_file(shard, fs::file_size(shard) / 2);
    return "saved/shards/" + newest;
  });
  EXPECT_TRUE(contains(told, "going on from the checkpoint of step ")) << told;
}

TEST_F(CheckpointTest, ADamagedManifestIsPassedOver) {
  loses_all_and_its_newest([&](const std::string& newest) {
    const std::string key = "saved/manifests/" + newest;
    std::string text = read_text(store_ + "/" + key);
    text[text.size() / 2] ^= 1;
    write_text(store_ + "/" + key, text);
    return key;
  });
}

TEST_F(CheckpointTest, APeriodSavesAndSoDoesTheEndOfTheWork) {
  const Ended ended =
      coordinator_.run({"submit", spec("3", "{hosts: 2, slots: 2}", kLong, "100ms"), "--follow"});
  EXPECT_EQ(ended.exit_code, 0) << ended.error << coordinator_.log();
  EXPECT_EQ(durable_step(), kLong * kTrainImages / kBatch);
  EXPECT_LE(2u, manifests().size());
  follow_to_the_end();
}

TEST_F(CheckpointTest, ANoticeIsAnsweredByASaveInItsWindow) {
  EXPECT_EQ(coordinator_
                .run({"submit",
                      spec("{min: 1, max: 4}", "{hosts: 2, slots: 2}", kLong, "1000000000 steps")})
                .exit_code,
            0);
  ASSERT_TRUE(wait_for("step", 10)) << coordinator_.log();
  EXPECT_EQ(durable_step(), -1);
  EXPECT_EQ(coordinator_.run({"reclaim", "local-2", "--notice", "10s"}).exit_code, 0);
  EXPECT_TRUE(wait_for_step(1)) << coordinator_.log();
  const std::string told = coordinator_.run({"explain", "saved"}).output;
  EXPECT_TRUE(contains(told, "is in the store, as asked for before a host is taken")) << told;
  follow_to_the_end();
  EXPECT_EQ(durable_step(), kLong * kTrainImages / kBatch);
}

TEST_F(CheckpointTest, AnotherNumberOfRanksGoesOnWhereTheLastOnesLeftOff) {
  EXPECT_EQ(coordinator_.run({"submit", spec("3", "{hosts: 2, slots: 2}", kEpochs), "--follow"})
                .exit_code,
            0);
  for (const std::string ranks : {"1", "4"}) {
    const int epochs = ranks == "1" ? 2 * kEpochs : 3 * kEpochs;
    metrics_ = coordinator_.file("metrics-" + ranks + ".jsonl");
    const Ended ended =
        coordinator_.run({"submit", spec(ranks, "{hosts: 2, slots: 2}", epochs), "--follow"});
    EXPECT_EQ(ended.exit_code, 0) << ended.error << coordinator_.log();
    EXPECT_EQ(durable_step(), epochs * kTrainImages / kBatch);
    expect_whole_run(metrics_);
    const std::string told = coordinator_.run({"explain", "saved"}).output;
    EXPECT_TRUE(contains(told, "going on from the checkpoint of step ")) << told;
  }
}

TEST_F(CheckpointTest, AFullDiskCostsASaveAndNotTheTraining) {
  // Before the coordinator starts, which would not see what is mounted later.
  coordinator_.kill();
  if (!mount_small_disk(store_)) GTEST_SKIP() << "this user may not mount a small file system";
  ASSERT_NO_FATAL_FAILURE(coordinator_.start());
  EXPECT_EQ(
      coordinator_.run({"submit", spec("{min: 1, max: 4}", "{hosts: 2, slots: 2}", 3 * kLong)})
          .exit_code,
      0);
  ASSERT_TRUE(wait_for_step(20)) << coordinator_.log();
  const std::string filler = store_ + "/filler";
  fill(filler);
  const auto told = [&] { return coordinator_.run({"explain", "saved"}).output; };
  for (int round = 0; round < kLooks && !contains(told(), " not written: "); ++round) {
    std::this_thread::sleep_for(kLook);
  }
  EXPECT_TRUE(contains(told(), "No space left on device")) << told();
  const std::int64_t durable = durable_step();
  fs::remove(filler);
  EXPECT_TRUE(wait_for_step(durable + 1)) << coordinator_.log();
  follow_to_the_end();
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
