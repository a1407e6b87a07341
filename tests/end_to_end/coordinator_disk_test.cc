// SPDX-License-Identifier: Apache-2.0
//
// A state directory that cannot be written, is full, or is damaged: one line that says so, and
// nothing that runs is lost by it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/end_to_end/coordinator.h"
#include "tests/end_to_end/small_disk.h"
#include "tests/end_to_end/text.h"
#include "tests/end_to_end/training_data.h"

namespace ringmaster::tests {
namespace {

template <class Condition>
bool wait_for(const Condition& holds) {
  for (int round = 0; round < 600; ++round) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

/// A coordinator cannot start here and says why in one line.
void expect_refusal(const Coordinator& coordinator, const std::string& words) {
  const Ended ended = coordinator.run({"serve"});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_EQ(lines_of(ended.error).size(), 1u) << ended.error;
  EXPECT_TRUE(contains(ended.error, words)) << ended.error;
  EXPECT_TRUE(contains(ended.error, coordinator.home())) << ended.error;
}

void run_a_job(Coordinator& coordinator) {
  ASSERT_NO_FATAL_FAILURE(coordinator.start());
  const std::string spec = coordinator.write_spec("short", "1", "{hosts: 1, slots: 1}", {"true"});
  ASSERT_EQ(coordinator.run({"submit", spec, "--follow"}).exit_code, 0);
  ASSERT_TRUE(coordinator.no_hosts_left());
  ASSERT_EQ(coordinator.run({"down"}).exit_code, 0);  // all is in the one file
  coordinator.kill();
}

void overwrite(const std::string& path, std::streamoff from, const std::string& bytes) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(from);
  file << bytes;
  ASSERT_TRUE(file.good());
}

TEST(CoordinatorDisk, AStateDirectoryThatCannotBeWrittenIsRefused) {
  Coordinator coordinator;
  const SmallDisk disk(coordinator.home(), "8m");
  if (!disk.ok()) GTEST_SKIP() << "mounting is not allowed here";
  disk.set_read_only(true);
  expect_refusal(coordinator, "Read-only file system");
  disk.set_read_only(false);
  ASSERT_NO_FATAL_FAILURE(run_a_job(coordinator));
  disk.set_read_only(true);
  expect_refusal(coordinator, "Read-only file system");
}

TEST(CoordinatorDisk, AFullOneIsRefusedAtTheStart) {
  Coordinator coordinator;
  const SmallDisk disk(coordinator.home(), "8m");
  if (!disk.ok()) GTEST_SKIP() << "mounting is not allowed here";
  disk.fill();
  expect_refusal(coordinator, "No space left on device");
  disk.make_room();
  ASSERT_NO_FATAL_FAILURE(run_a_job(coordinator));
  disk.fill();
  expect_refusal(coordinator, "make room");
  disk.make_room();
  ASSERT_NO_FATAL_FAILURE(coordinator.start());
  EXPECT_TRUE(contains(coordinator.run({"status", "short"}).output, "done"));
}

nlohmann::json status_of(const Coordinator& coordinator, const std::string& job) {
  const Ended ended = coordinator.run({"status", job, "--json"});
  EXPECT_EQ(ended.exit_code, 0) << ended.error;
  return nlohmann::json::parse(ended.output, nullptr, false);
}

TEST(CoordinatorDisk, OneThatFillsUpEndsTheCoordinatorAndNoRank) {
  Coordinator coordinator;
  const SmallDisk disk(coordinator.home(), "8m");
  if (!disk.ok()) GTEST_SKIP() << "mounting is not allowed here";
  ASSERT_NO_FATAL_FAILURE(coordinator.start());
  const std::string spec = coordinator.write_spec(
      "long", "2", "{hosts: 2, slots: 1}",
      {built("ringmaster-train"), "--model", "tiny", "--data", data_folder(), "--batch", "24",
       "--epochs", "1000", "--metrics", coordinator.file("long.jsonl")});
  ASSERT_EQ(coordinator.run({"submit", spec}).exit_code, 0);
  ASSERT_TRUE(wait_for([&] { return status_of(coordinator, "long").value("step", 0) > 0; }));
  const auto ranks = coordinator.ranks();
  ASSERT_NO_FATAL_FAILURE(disk.fill());
  ASSERT_TRUE(wait_for([&] { return contains(coordinator.log(), "cannot go on"); }));
  const auto said = lines_of(coordinator.log());
  EXPECT_TRUE(contains(said.back(), "full; make room, jobs go on meanwhile")) << said.back();
  coordinator.kill();  // it has ended by itself
  EXPECT_EQ(coordinator.ranks(), ranks);
  const auto written = std::filesystem::file_size(coordinator.file("long.jsonl"));
  EXPECT_TRUE(wait_for([&] {  // they train on
    return std::filesystem::file_size(coordinator.file("long.jsonl")) > written + 10'000;
  }));
  ASSERT_NO_FATAL_FAILURE(disk.make_room());
  const Ended up = coordinator.run_and_leave({"up", "--json"});
  ASSERT_EQ(up.exit_code, 0) << up.error;
  EXPECT_TRUE(contains(up.output, R"("started":true)")) << up.output;
  const int step = status_of(coordinator, "long").value("step", 0);
  EXPECT_TRUE(wait_for([&] { return status_of(coordinator, "long").value("step", 0) > step; }));
  const nlohmann::json status = status_of(coordinator, "long");
  EXPECT_EQ(status["state"], "running");
  EXPECT_EQ(status["restarts_used"], 0);
  for (const auto& rank : status["ranks"]) EXPECT_EQ(rank["starts"], 1) << status;
  EXPECT_EQ(coordinator.ranks(), ranks);  // nothing was started twice
  const Ended down = coordinator.run({"down", "--json"});
  EXPECT_TRUE(contains(down.output, R"("cancelled":[1])")) << down.output << down.error;
  EXPECT_TRUE(coordinator.no_hosts_left());
}

TEST(CoordinatorDisk, AJournalOfANewerVersionIsRefused) {
  Coordinator coordinator;
  ASSERT_NO_FATAL_FAILURE(run_a_job(coordinator));
  // Where SQLite's header has the format that its user gives.
  overwrite(coordinator.home() + "/journal.db", 60, std::string("\0\0\0\x63", 4));
  expect_refusal(coordinator, "written by a newer ringmaster (format 99");
  EXPECT_TRUE(contains(coordinator.run({"jobs"}).error, "written by a newer ringmaster"));
}

TEST(CoordinatorDisk, AJournalThatIsTornInTheMiddleIsRefused) {
  Coordinator coordinator;
  ASSERT_NO_FATAL_FAILURE(run_a_job(coordinator));
  const std::string path = coordinator.home() + "/journal.db";
  overwrite(path, 4096, std::string(std::filesystem::file_size(path) - 4096, '\xa5'));
  expect_refusal(coordinator, "the file is damaged");
  const Ended jobs = coordinator.run({"jobs", "--json"});
  EXPECT_TRUE(contains(jobs.error, R"("code":"corrupt")")) << jobs.error;
}

}  // namespace
}  // namespace ringmaster::tests
