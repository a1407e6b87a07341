// SPDX-License-Identifier: Apache-2.0
#include "launcher/commands/checkpoint.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/temporary_folder.h"
#include "launcher/commands/command.h"
#include "storage/checkpoint/small_job.h"

namespace ringmaster::launcher {
namespace {

namespace fs = std::filesystem;
using storage::kJob;

struct Outcome {
  int exit_code = 0;
  std::string output = {}, error = {};
};

/// A store with three checkpoints of two terms, and one more that does not count.
class CheckpointCommand : public testing::Test {
 protected:
  CheckpointCommand() {
    auto store = std::move(*storage::open_store(url()));
    const auto first = *storage::open_term(*store, kJob);
    CHECK(storage::save(*store, first, 10).ok());
    CHECK(storage::save(*store, first, 20).ok());
    const auto second = *storage::open_term(*store, kJob);
    CHECK(storage::save(*store, second, 30).ok());
    CHECK(!storage::save(*store, first, 99).ok());
  }

  std::string url() const { return "file://" + folder_.path(); }

  Outcome run(std::vector<std::string> arguments) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    Outcome outcome;
    outcome.exit_code = run_checkpoint(arguments);
    outcome.output = testing::internal::GetCapturedStdout();
    outcome.error = testing::internal::GetCapturedStderr();
    return outcome;
  }

  /// Flips a bit at the end of a shard.
  void damage(const std::string& step) {
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path() + "/job/shards")) {
      if (entry.is_directory() || entry.path().string().find(step) == std::string::npos) continue;
      std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
      file.seekg(-1, std::ios::end);
      const char last = static_cast<char>(file.get() ^ 1);
      file.seekp(-1, std::ios::end);
      file.put(last);
      return;
    }
    FAIL();
  }

  ringmaster::TemporaryFolder folder_;
};

TEST_F(CheckpointCommand, LsShowsTheNewestFirst) {
  const Outcome outcome = run({"ls", url()});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.output,
            "job\t30\t2\t2\t2\t2\t36\tnewest\n"
            "job\t20\t1\t2\t2\t2\t36\twhole\n"
            "job\t10\t1\t2\t2\t2\t36\twhole\n"
            "job\t99\t1\t2\t2\t2\t36\tignored: of an older term\n");
}

TEST_F(CheckpointCommand, JsonIsOneObjectALine) {
  const Outcome outcome = run({"ls", url(), kJob, "--json"});
  std::istringstream lines(outcome.output);
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  const auto json = nlohmann::json::parse(line);
  EXPECT_EQ(json["step"], 30);
  EXPECT_EQ(json["state"], "newest");
  EXPECT_FALSE(json.contains("problem"));
}

TEST_F(CheckpointCommand, VerifyFindsWhatLsDoesNotRead) {
  EXPECT_EQ(run({"verify", url(), kJob}).exit_code, 0);
  damage("000000000030");
  EXPECT_EQ(run({"ls", url(), kJob}).output.substr(0, 8), "job\t30\t2");
  const Outcome outcome = run({"verify", url(), kJob});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.output.find("damaged: job/shards/00000002-000000000030/"), std::string::npos);
  EXPECT_NE(outcome.output.find("job\t20\t1\t2\t2\t2\t36\tnewest"), std::string::npos);
  EXPECT_EQ(
      outcome.error,
      "ringmaster: 1 of 4 checkpoints are damaged (a job starts from the newest whole one)\n");
}

TEST_F(CheckpointCommand, RmKeepsTheNewestOrNothing) {
  EXPECT_EQ(run({"rm", url(), kJob, "--keep", "1", "--grace", "0"}).exit_code, 0);
  EXPECT_EQ(run({"rm", url(), kJob, "--keep", "1", "--grace", "0"}).exit_code, 0);
  EXPECT_EQ(run({"ls", url()}).output, "job\t30\t2\t2\t2\t2\t36\tnewest\n");
  EXPECT_EQ(run({"verify", url()}).exit_code, 0);
  const Outcome all = run({"rm", url(), kJob, "--json"});
  EXPECT_EQ(all.output, "{\"job\":\"job\",\"objects\":5}\n");
  const Outcome empty = run({"ls", url()});
  EXPECT_EQ(empty.exit_code, 0);
  EXPECT_EQ(empty.error, "no checkpoints\n");
  EXPECT_FALSE(fs::exists(folder_.path() + "/job"));
}

TEST_F(CheckpointCommand, MistakesAreSaid) {
  EXPECT_EQ(run({"rm", url()}).exit_code, kExitUsage);
  EXPECT_EQ(run({"ls"}).exit_code, kExitUsage);
  EXPECT_EQ(run({"ls", url(), kJob, "more"}).exit_code, kExitUsage);
  EXPECT_EQ(run({"ls", "s3://bucket"}).exit_code, kExitUsage);
  const Outcome typo = run({"ls", url(), "jobs"});
  EXPECT_EQ(typo.exit_code, 1);
  EXPECT_NE(typo.error.find("did you mean job?"), std::string::npos);
  const Outcome missing = run({"ls", "file:///no/such/folder", "--json"});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_NE(missing.error.find("\"not_found\""), std::string::npos);
  EXPECT_EQ(run({"ls", "--help"}).exit_code, 0);
}

TEST(CheckpointTable, HasColumns) {
  std::vector<CheckpointRow> rows(2);
  rows[0] = {"fashion", {3, 1200}, 4, 12, 4, 3 << 20, CheckpointState::newest, {}};
  rows[1] = {"f", {1, 5}, 0, 0, 0, 0, CheckpointState::damaged, {"f/manifests/x", "cut off"}};
  EXPECT_EQ(
      checkpoint_table(rows),
      "JOB      STEP  TERM  RANKS  TENSORS  SHARDS     SIZE  STATE\n"
      "fashion  1200     3      4       12       4  3.0 MiB  newest\n"
      "f           5     1      -        -       -        -  damaged: f/manifests/x: cut off\n");
}

}  // namespace
}  // namespace ringmaster::launcher
