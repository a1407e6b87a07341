// SPDX-License-Identifier: Apache-2.0
#include "launcher/report/metrics.h"

#include <gtest/gtest.h>

#include "launcher/report/sample_run.h"

namespace ringmaster::launcher {
namespace {

TEST(Metrics, ReadsEveryEvent) {
  const auto metrics = parse_metrics(sample_run(), "run.jsonl");
  ASSERT_TRUE(metrics) << metrics.error().message;
  EXPECT_EQ(metrics->start.model, "cnn");
  EXPECT_EQ(metrics->start.train_images, 60000);
  ASSERT_EQ(metrics->generations.size(), 5u);
  EXPECT_EQ(metrics->generations[1].members, (std::vector<int>{0, 1, 3}));
  EXPECT_EQ(metrics->generations[1].lost, 1);
  EXPECT_NEAR(metrics->generations[1].heal_ms, 11.8, 1e-9);
  EXPECT_EQ(metrics->steps.size(), 4u * 700 - 26 - 28);
  EXPECT_EQ(metrics->results.size(), 4u);
  EXPECT_TRUE(metrics->notes.empty());
}

TEST(Metrics, LeavesOutACutLastLineAndSaysSo) {
  std::string text = sample_run();
  text.resize(text.size() - 20);
  const auto metrics = parse_metrics(text, "run.jsonl");
  ASSERT_TRUE(metrics) << metrics.error().message;
  EXPECT_EQ(metrics->results.size(), 3u);
  ASSERT_EQ(metrics->notes.size(), 1u);
  EXPECT_NE(metrics->notes[0].find("cut off"), std::string::npos);
}

// A rank that was killed as its line crossed a page of the file left a part of it, and the next
// rank's line came right behind.
TEST(Metrics, TakesTheLineBehindACutOne) {
  std::string text = sample_run();
  const auto second = text.find('\n', text.find("\"step\"")) + 1;
  text.insert(second, R"({"event":"step","time":12.)");
  const auto metrics = parse_metrics(text, "run.jsonl");
  ASSERT_TRUE(metrics) << metrics.error().message;
  EXPECT_EQ(metrics->steps.size(), parse_metrics(sample_run(), "run.jsonl")->steps.size());
  ASSERT_EQ(metrics->notes.size(), 1u);
  EXPECT_NE(metrics->notes[0].find("begins with a cut one"), std::string::npos);
}

TEST(Metrics, RefusesADamagedLineElsewhereWithItsPlace) {
  std::string text = sample_run();
  text[text.find('\n') + 1] = 'x';
  const auto metrics = parse_metrics(text, "run.jsonl");
  ASSERT_FALSE(metrics);
  EXPECT_EQ(metrics.error().code, Errc::corrupt);
  EXPECT_EQ(metrics.error().message, "run.jsonl:2: not a JSON object");
}

TEST(Metrics, NamesTheFieldThatIsMissingOrWrong) {
  const std::string start = sample_run().substr(0, sample_run().find('\n') + 1);
  auto metrics = parse_metrics(start + R"({"event":"step","time":1})"
                                       "\n{}\n",
                               "m");
  ASSERT_FALSE(metrics);
  EXPECT_EQ(metrics.error().message, "m:2: the field \"step\" is missing");
  metrics = parse_metrics(start + R"({"event":"result","time":"now"})"
                                  "\n{}\n",
                          "m");
  ASSERT_FALSE(metrics);
  EXPECT_EQ(metrics.error().message, "m:2: the field \"time\" is not a number");
  metrics = parse_metrics(start + R"({"event":"surprise"})"
                                  "\n",
                          "m");
  ASSERT_FALSE(metrics);
  EXPECT_EQ(metrics.error().message, "m:2: an unknown event \"surprise\"");
}

TEST(Metrics, RefusesNumbersThatNoRunHas) {
  const std::string all = sample_run();
  const std::string start = all.substr(0, all.find('\n') + 1);
  const std::string step = all.substr(all.find("{\"event\":\"step\""));
  const std::string line = start + step.substr(0, step.find('\n') + 1);
  ASSERT_TRUE(parse_metrics(line, "m"));
  const auto with = [&](const std::string& field, const std::string& value) {
    std::string changed = line;
    const std::size_t at = changed.rfind("\"" + field + "\":") + field.size() + 3;
    return changed.replace(at, changed.find_first_of(",}", at) - at, value);
  };
  for (const char* time : {"null", "1e300", "-1e16"})
    EXPECT_FALSE(parse_metrics(with("time", time), "m"));
  for (const char* step_number : {"-1", "18446744073709551615", "9223372036854775807", "1.5"}) {
    EXPECT_FALSE(parse_metrics(with("step", step_number), "m")) << step_number;
  }
  EXPECT_FALSE(parse_metrics(with("rank", "4294967296"), "m"));
  EXPECT_TRUE(parse_metrics(with("loss", "3e38"), "m"));
  EXPECT_TRUE(parse_metrics(with("loss", "null"), "m")) << "a diverged loss";
}

TEST(Metrics, RefusesAnEmptyFileAndAStepBeforeAnyStart) {
  EXPECT_FALSE(parse_metrics("", "m"));
  const std::string text = sample_run();
  EXPECT_FALSE(parse_metrics(text.substr(text.find('\n') + 1), "m"));
}

TEST(Metrics, ReadsTheLastOfSeveralRuns) {
  const auto metrics = parse_metrics(sample_run() + sample_run(), "m");
  ASSERT_TRUE(metrics) << metrics.error().message;
  EXPECT_EQ(metrics->results.size(), 4u);
  EXPECT_EQ(metrics->notes.size(), 1u);
}

TEST(Metrics, SaysThatAFileIsNotThere) {
  const auto metrics = read_metrics("/nowhere/run.jsonl");
  ASSERT_FALSE(metrics);
  EXPECT_EQ(metrics.error().code, Errc::not_found);
}

}  // namespace
}  // namespace ringmaster::launcher
