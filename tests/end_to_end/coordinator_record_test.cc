// SPDX-License-Identifier: Apache-2.0
//
// What is left of jobs that have ended, what commands tell as JSON, and a coordinator that moves.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/end_to_end/coordinator.h"
#include "tests/end_to_end/text.h"

namespace ringmaster::tests {
namespace {

std::string quick_spec(const Coordinator& coordinator, const std::string& name) {
  return coordinator.write_spec(name, "1", "{hosts: 1, slots: 1}",
                                {"echo", "the words of " + name});
}

nlohmann::json parsed(const std::string& text) {
  return nlohmann::json::parse(text, nullptr, false);
}

TEST(CoordinatorRecord, TheNewestEndedJobsStayReadableAndOlderOnesGoWithTheirLogs) {
  Coordinator coordinator({"--keep-jobs", "2"});
  ASSERT_NO_FATAL_FAILURE(coordinator.start());
  for (const std::string name : {"one", "two", "three", "four"}) {
    const Ended ended = coordinator.run({"submit", quick_spec(coordinator, name), "--follow"});
    ASSERT_EQ(ended.exit_code, 0) << ended.error << coordinator.log();
  }
  coordinator.kill();  // the records need none
  const std::string jobs = coordinator.run({"jobs"}).output;
  EXPECT_FALSE(contains(jobs, " one ") || contains(jobs, " two ")) << jobs;
  EXPECT_TRUE(contains(jobs, "three") && contains(jobs, "four")) << jobs;
  EXPECT_TRUE(contains(coordinator.run({"status", "1"}).error, "there is no job 1"));
  EXPECT_FALSE(std::filesystem::exists(coordinator.home() + "/jobs/2"));
  EXPECT_TRUE(contains(coordinator.run({"logs", "three"}).output, "the words of three"));
  EXPECT_TRUE(contains(coordinator.run({"events", "four"}).output, "job submitted"));
  EXPECT_TRUE(contains(coordinator.run({"explain", "four"}).output, "now: done"));
  EXPECT_TRUE(contains(coordinator.run({"logs", "-f", "three"}).error, "job 3 done"));
  ASSERT_NO_FATAL_FAILURE(coordinator.start());
  const Ended cancel = coordinator.run({"cancel", "four"});
  EXPECT_TRUE(contains(cancel.error, "job 4 has ended: done")) << cancel.error;
  const Ended again =
      coordinator.run({"submit", quick_spec(coordinator, "five"), "--json", "--follow"});
  EXPECT_TRUE(contains(again.output, R"("job":5)")) << again.output << again.error;
  EXPECT_TRUE(coordinator.no_hosts_left());
}

TEST(CoordinatorRecord, CommandsTellWhatTheyDidAsJson) {
  Coordinator coordinator;
  const auto none = parsed(coordinator.run({"down", "--json"}).output);
  EXPECT_EQ(none["coordinator"], "none");
  const auto up = parsed(coordinator.run_and_leave({"up", "--json"}).output);
  EXPECT_EQ(up["coordinator"], "runs");
  EXPECT_EQ(up["started"], true);
  EXPECT_EQ(parsed(coordinator.run({"up", "--json"}).output)["started"], false);
  const std::string spec =
      coordinator.write_spec("sleeper", "1", "{hosts: 1, slots: 1}", {"sleep", "1000"});
  ASSERT_EQ(coordinator.run({"submit", spec}).exit_code, 0);
  const auto cancel = parsed(coordinator.run({"cancel", "sleeper", "--json", "--now"}).output);
  EXPECT_EQ(cancel["job"], 1);
  EXPECT_EQ(cancel["done"], "cancelled");
  const std::vector<std::vector<std::string>> wrong = {
      {"cancel", "absent", "--json"}, {"reclaim", "nowhere", "--json"}, {"cancel", "--json"}};
  for (const auto& command : wrong) {
    const Ended ended = coordinator.run(command);
    EXPECT_NE(ended.exit_code, 0);
    EXPECT_EQ(ended.output, "");
    const auto error = parsed(ended.error)["error"];
    EXPECT_TRUE(error.contains("code") && error.contains("message") && error.contains("hint"))
        << ended.error;
  }
  const auto down = parsed(coordinator.run({"down", "--json"}).output);
  EXPECT_EQ(down["coordinator"], "ended");
  EXPECT_TRUE(coordinator.no_hosts_left());
  EXPECT_EQ(parsed(coordinator.run({"cancel", "1", "--json"}).error)["error"]["code"], "not_found");
}

TEST(CoordinatorRecord, ListenMovesACoordinatorThatHasRunBefore) {
  Coordinator coordinator;
  const auto endpoint = [&] { return lines_of(read_text(coordinator.home() + "/endpoint")).at(0); };
  ASSERT_NO_FATAL_FAILURE(coordinator.start());
  const std::string first = endpoint();
  const std::string port = first.substr(first.rfind(':'));
  EXPECT_EQ(first, "tcp://127.0.0.1" + port);
  coordinator.kill();
  coordinator.set_flags({"--listen", "127.0.0.2"});
  ASSERT_NO_FATAL_FAILURE(coordinator.start());
  EXPECT_EQ(endpoint(), "tcp://127.0.0.2" + port);
  const Ended ended = coordinator.run({"submit", quick_spec(coordinator, "moved"), "--follow"});
  EXPECT_EQ(ended.exit_code, 0) << ended.error;
  EXPECT_TRUE(coordinator.no_hosts_left());
  coordinator.kill();
  coordinator.set_flags({});
  ASSERT_NO_FATAL_FAILURE(coordinator.start());
  EXPECT_EQ(endpoint(), "tcp://127.0.0.2" + port);  // it stays where it was sent
}

}  // namespace
}  // namespace ringmaster::tests
