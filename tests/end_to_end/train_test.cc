// SPDX-License-Identifier: Apache-2.0
//
// Real training runs: the same seed gives the same weights, all ranks agree, and the report on a
// run with losses finds every image counted once.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "launcher/report/metrics.h"
#include "tests/end_to_end/program.h"
#include "tests/end_to_end/text.h"
#include "tests/end_to_end/training_data.h"

namespace ringmaster::tests {
namespace {

using Words = std::vector<std::string>;

/// Trains the tiny network under ringrun with these options, for these metrics.
Ended train(const Words& options, const std::string& metrics, const Words& more = {}) {
  Words command = {"ringrun"};
  command.insert(command.end(), options.begin(), options.end());
  const Words trainer = {"ringmaster-train", "--model", "tiny",      "--data", data_folder(),
                         "--batch",          "24",      "--metrics", metrics};
  command.insert(command.end(), trainer.begin(), trainer.end());
  command.insert(command.end(), more.begin(), more.end());
  const Ended ended = run_program(command);
  EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.error;
  return ended;
}

launcher::Metrics read(const std::string& path) {
  auto metrics = launcher::read_metrics(path);
  EXPECT_TRUE(metrics.ok()) << (metrics.ok() ? "" : metrics.error().message);
  return metrics.ok() ? *metrics : launcher::Metrics{};
}

std::set<std::string> weights_in(const std::string& metrics) {
  std::set<std::string> weights;
  for (const auto& result : read(metrics).results) weights.insert(result.weights);
  return weights;
}

TEST(Train, TheSameSeedGivesTheSameWeightsOnAllRanks) {
  TemporaryFolder folder;
  for (const std::string run : {"one", "two"}) {
    train({"-np", "3"}, folder.file(run), {"--epochs", "2", "--seed", "7"});
    EXPECT_EQ(read(folder.file(run)).results.size(), 3u);
    EXPECT_EQ(weights_in(folder.file(run)).size(), 1u);
  }
  EXPECT_EQ(weights_in(folder.file("one")), weights_in(folder.file("two")));
  train({"-np", "3"}, folder.file("other"), {"--epochs", "2", "--seed", "8"});
  EXPECT_NE(weights_in(folder.file("one")), weights_in(folder.file("other")));
}

TEST(Train, OverlapChangesNoBitAndTheTimelineShowsEveryTensor) {
  TemporaryFolder folder;
  train({"-np", "3"}, folder.file("off"), {"--epochs", "2"});
  train({"-np", "3"}, folder.file("on"),
        {"--epochs", "2", "--overlap", "on", "--timeline", folder.file("timeline-%r.json")});
  EXPECT_EQ(weights_in(folder.file("off")), weights_in(folder.file("on")));
  for (const std::string rank : {"0", "1", "2"}) {
    const auto events =
        nlohmann::json::parse(read_text(folder.file("timeline-" + rank + ".json")), nullptr, false);
    ASSERT_TRUE(events.is_array()) << rank;
    std::map<std::string, int> seen;
    for (const auto& event : events) ++seen[event["name"]];
    // Two layers with parameters, and the loss with the counts, in each of 100 steps.
    EXPECT_EQ(seen["reduce"], 300) << rank;
    EXPECT_EQ(seen["negotiate"], 300) << rank;
    EXPECT_EQ(seen["generation 1: ranks 0 1 2"], 1) << rank;
  }
}

TEST(Train, OverlapKeepsTheLedgerThroughLosses) {
  TemporaryFolder folder;
  const std::string metrics = folder.file("metrics.jsonl");
  train({"-np", "3", "--elastic", "1:3", "--drill", "kill:1@40", "--drill", "kill:0@200"}, metrics,
        {"--epochs", "20", "--overlap", "on", "--timeline", folder.file("timeline-%r.json")});
  EXPECT_EQ(weights_in(metrics).size(), 1u);
  const Ended ended =
      run_program({"ringmaster", "report", metrics, "-o", folder.file("page.html"), "--json"});
  EXPECT_EQ(ended.exit_code, 0) << ended.error;
  const auto summary = nlohmann::json::parse(ended.output, nullptr, false);
  EXPECT_EQ(summary["ledger"]["good"], true) << ended.output;
  EXPECT_EQ(summary["losses"], 2) << ended.output;
  // The replacement went on with the file of the rank that was killed.
  const std::string timeline = read_text(folder.file("timeline-1.json"));
  const auto events = nlohmann::json::parse(timeline, nullptr, false);
  EXPECT_TRUE(events.is_array());
  EXPECT_TRUE(contains(timeline, "generation 1: ranks 0 1 2")) << timeline.substr(0, 300);
}

TEST(Train, OneLineTellsTheResult) {
  TemporaryFolder folder;
  const Ended ended = train({"-np", "3"}, folder.file("metrics"), {"--epochs", "2"});
  const std::string weights = *weights_in(folder.file("metrics")).begin();
  const auto lines = lines_with(ended.output, "tiny: accuracy ");
  ASSERT_EQ(lines.size(), 1u) << ended.output;
  EXPECT_TRUE(contains(lines[0], "100 steps")) << lines[0];
  EXPECT_TRUE(contains(lines[0], weights)) << lines[0];
}

/// One run with two drills, for the tests that look at it.
struct DrilledRun {
  TemporaryFolder folder;
  std::string metrics = folder.file("metrics.jsonl");
  Ended ended =
      train({"-np", "3", "--elastic", "1:3", "--drill", "kill:1@40", "--drill", "kill:2@400"},
            metrics, {"--epochs", "60"});
};

TEST(Train, TheMetricsShowTheLossesAndTheJoins) {
  const DrilledRun run;
  const auto metrics = read(run.metrics);
  int lost = 0, joined = 0;
  for (const auto& generation : metrics.generations) {
    if (generation.generation == 1) continue;
    lost += generation.lost;
    joined += generation.joined;
    EXPECT_EQ(generation.members.size(), static_cast<std::size_t>(generation.world));
    EXPECT_FALSE(generation.reason.empty());
    EXPECT_GT(generation.heal_ms, 0);
  }
  EXPECT_EQ(lost, 2) << run.ended.error;
  EXPECT_EQ(joined, 2) << run.ended.error;
  EXPECT_EQ(weights_in(run.metrics).size(), 1u);
}

TEST(Train, TheReportFindsEveryImageCountedOnce) {
  const DrilledRun run;
  const std::string page = run.folder.file("report.html");
  const Ended ended = run_program({"ringmaster", "report", run.metrics, "-o", page, "--json"});
  EXPECT_EQ(ended.exit_code, 0) << ended.error;
  const auto summary = nlohmann::json::parse(ended.output, nullptr, false);
  ASSERT_TRUE(summary.is_object()) << ended.output;
  EXPECT_EQ(summary["ledger"]["good"], true) << ended.output;
  EXPECT_EQ(summary["weights"]["equal"], true) << ended.output;
  EXPECT_EQ(summary["losses"], 2) << ended.output;
  EXPECT_EQ(summary["joins"], 2) << ended.output;
  EXPECT_EQ(summary["steps"], 3000) << ended.output;
  const std::string html = read_text(page);
  EXPECT_TRUE(contains(html, "<svg") && contains(html, "</html>"));
  EXPECT_FALSE(contains(html, "http://") && contains(html, "<script src")) << "it stands alone";
}

TEST(Train, TheReportFindsARecordThatWasTakenOut) {
  TemporaryFolder folder;
  train({"-np", "2"}, folder.file("metrics"), {"--epochs", "1"});
  std::string damaged;
  for (const std::string& line : lines_of(read_text(folder.file("metrics")))) {
    if (!contains(line, "\"step\":17,")) damaged += line + "\n";
  }
  write_text(folder.file("damaged"), damaged);
  const Ended good = run_program({"ringmaster", "report", folder.file("metrics")});
  const Ended bad = run_program({"ringmaster", "report", folder.file("damaged")});
  EXPECT_EQ(good.exit_code, 0) << good.error;
  EXPECT_EQ(bad.exit_code, 1) << bad.output;
  EXPECT_TRUE(contains(bad.error, "ledger")) << bad.error;
}

}  // namespace
}  // namespace ringmaster::tests
