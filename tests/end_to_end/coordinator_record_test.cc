// SPDX-License-Identifier: Apache-2.0
//
// What is left of jobs that have ended, what commands tell as JSON, and a coordinator that moves.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "jobs/coordinator/journal.h"
#include "launcher/commands/coordinator_load.h"
#include "launcher/host/state_home.h"
#include "tests/end_to_end/coordinator.h"
#include "tests/end_to_end/text.h"
#include "tests/end_to_end/training_data.h"

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

/// So many events that a coordinator makes a snapshot at the first one of its own.
void write_history(const Coordinator& coordinator) {
  const launcher::StateHome home(coordinator.home());
  ASSERT_TRUE(home.prepare());
  auto journal = jobs::Journal::open(home.file("journal.db"), jobs::Journal::Mode::write);
  ASSERT_TRUE(journal);
  jobs::Core core;
  std::int64_t events = 0;
  launcher::CoordinatorLoad load(core, [&](Time now, const jobs::Event& event) {
    const jobs::Decided decided = jobs::decide(core, now, 1, event);
    jobs::JobEntry entry;
    const auto* submitted = std::get_if<jobs::JobSubmitted>(&event);
    if (submitted != nullptr) {
      entry.job = submitted->job;
      entry.name = submitted->spec.name;
    }
    ASSERT_TRUE(submitted != nullptr ? (*journal)->append_job(entry, decided)
                                     : (*journal)->append(decided));
    ++events;
  });
  load.add_host();
  while (events < jobs::kEventsBetweenSnapshots) load.finish(load.start_job());
  load.lose_host();
}

TEST(CoordinatorRecord, ACoordinatorGoesOnFromASnapshot) {
  Coordinator coordinator;
  ASSERT_NO_FATAL_FAILURE(write_history(coordinator));
  ASSERT_NO_FATAL_FAILURE(coordinator.start());
  const std::string spec = coordinator.write_spec(
      "long", "2", "{hosts: 2, slots: 1}",
      {built("ringmaster-train"), "--model", "tiny", "--data", data_folder(), "--batch", "24",
       "--epochs", "1000", "--metrics", coordinator.file("long.jsonl")});
  ASSERT_EQ(coordinator.run({"submit", spec}).exit_code, 0);
  const auto status = [&] { return parsed(coordinator.run({"status", "long", "--json"}).output); };
  const auto wait_for_step = [&](int step) {
    for (int look = 0; look < 600 && status().value("step", 0) <= step; ++look) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    EXPECT_LT(step, status().value("step", 0));
  };
  wait_for_step(0);
  const auto ranks = coordinator.ranks();
  coordinator.kill();
  {
    auto journal =
        jobs::Journal::open(coordinator.home() + "/journal.db", jobs::Journal::Mode::read);
    EXPECT_LT(*(*journal)->count_events(), 100);  // a snapshot stands for the rest
  }
  const int step = status().value("step", 0);
  ASSERT_NO_FATAL_FAILURE(coordinator.start());
  wait_for_step(step);
  EXPECT_EQ(coordinator.ranks(), ranks);
  EXPECT_EQ(status()["restarts_used"], 0);
  EXPECT_TRUE(contains(coordinator.run({"status", "load-1"}).output, "done"));
  EXPECT_TRUE(contains(coordinator.run({"events", "long"}).output, "job submitted"));
  EXPECT_TRUE(contains(coordinator.run({"explain", "long"}).output, "generation 1"));
  EXPECT_EQ(coordinator.run({"down"}).exit_code, 0);
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
