// SPDX-License-Identifier: Apache-2.0
#include "launcher/report/summary.h"

#include <gtest/gtest.h>

#include <cmath>

#include "launcher/report/page.h"
#include "launcher/report/sample_run.h"
#include "launcher/report/summary_json.h"
#include "launcher/report/terminal.h"

namespace ringmaster::launcher {
namespace {

Metrics sample() {
  return *parse_metrics(sample_run(), "sample");
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Summary, TellsTheRun) {
  const Summary s = summarize(sample());
  EXPECT_TRUE(s.finished);
  EXPECT_EQ(s.steps, 700);
  EXPECT_EQ(s.losses, 2);
  EXPECT_EQ(s.joins, 2);
  EXPECT_NEAR(*s.accuracy, 0.8971, 1e-9);
  ASSERT_EQ(s.heals_ms.size(), 2u);
  EXPECT_NEAR(quantile(s.heals_ms, 0.5), 10.6, 1e-9);
  EXPECT_TRUE(s.ledger.good) << s.ledger.text;
  EXPECT_TRUE(s.weights.good) << s.weights.text;
}

TEST(Summary, NamesWhoWasLostAndWhoJoined) {
  const Summary s = summarize(sample());
  ASSERT_EQ(s.changes.size(), 4u);
  EXPECT_EQ(change_text(s.changes[0]), "rank 2 lost");
  EXPECT_EQ(s.changes[0].step, 210);
  EXPECT_EQ(change_text(s.changes[1]), "rank 2 joined");
  EXPECT_EQ(change_text(s.changes[2]), "rank 0 lost");
  EXPECT_LT(s.changes[0].seconds, s.generations[1].time - s.start.time);
}

TEST(Summary, KnowsOnlyTheCountWhenALossAndItsReplacementShareAGeneration) {
  Metrics metrics = sample();
  metrics.generations = {metrics.generations[0], metrics.generations[1]};
  metrics.generations[1].members = {0, 1, 2, 3};
  metrics.generations[1].joined = 1;
  const Summary s = summarize(metrics);
  ASSERT_EQ(s.changes.size(), 2u);
  EXPECT_EQ(change_text(s.changes[0]), "1 lost");
  EXPECT_EQ(change_text(s.changes[1]), "1 joined");
}

TEST(Summary, TheHistoryTakesTheHighestGenerationOfAStep) {
  std::vector<StepEvent> steps(3);
  steps[0] = {.step = 5, .generation = 1, .rank = 0, .loss = 1};
  steps[1] = {.step = 5, .generation = 2, .rank = 3, .loss = 2};
  steps[2] = {.step = 5, .generation = 2, .rank = 1, .loss = 3};
  const auto history = history_of(steps);
  ASSERT_EQ(history.size(), 1u);
  EXPECT_EQ(history[0].loss, 3);
}

TEST(Summary, SeesAnImageThatWasNotCounted) {
  Metrics metrics = sample();
  for (StepEvent& e : metrics.steps) e.counted -= e.step == 300 ? 1 : 0;
  const Summary s = summarize(metrics);
  EXPECT_FALSE(s.ledger.good);
  EXPECT_TRUE(holds(s.ledger.text, "300")) << s.ledger.text;
  EXPECT_TRUE(holds(make_page(s), "verdict bad"));
}

TEST(Summary, SeesWeightsThatDiffer) {
  Metrics metrics = sample();
  metrics.results[1].weights = "0000000000000000";
  const Summary s = summarize(metrics);
  EXPECT_FALSE(s.weights.good);
  EXPECT_FALSE(s.good());
}

TEST(Summary, WhatRanksHadAtAnEndThatWasLostIsNotCompared) {
  Metrics metrics = sample();
  // All were lost at the end, and the steps from 600 on were done again with other bits.
  const int last = static_cast<int>(metrics.generations.back().generation);
  for (ResultEvent result : std::vector(metrics.results)) {
    result.generation = last + 1;
    result.weights = "00000000000000aa";
    metrics.results.push_back(result);
  }
  GenerationEvent again = metrics.generations.back();
  again.generation = last + 1;
  again.steps = 600;
  metrics.generations.push_back(again);
  for (StepEvent step : std::vector(metrics.steps)) {
    step.generation = last + 1;
    if (step.step >= 600) metrics.steps.push_back(step);
  }
  const Summary s = summarize(metrics);
  EXPECT_TRUE(s.weights.good) << s.weights.text;
  EXPECT_TRUE(s.ledger.good) << s.ledger.text;
  EXPECT_TRUE(s.finished);
}

TEST(Summary, AnUnfinishedRunIsReportedAsFarAsItGoes) {
  Metrics metrics = sample();
  metrics.results.clear();
  std::erase_if(metrics.steps, [](const StepEvent& e) { return e.step >= 100; });
  std::erase_if(metrics.generations, [](const GenerationEvent& e) { return e.generation > 1; });
  const Summary s = summarize(metrics);
  EXPECT_FALSE(s.finished);
  EXPECT_TRUE(s.ledger.good) << s.ledger.text;
  EXPECT_TRUE(holds(terminal_summary(s), "100 of 700 steps"));
}

TEST(Summary, ARunWithoutAStepStillMakesAPage) {
  Metrics metrics;
  metrics.start = sample().start;
  const Summary s = summarize(metrics);
  EXPECT_TRUE(holds(make_page(s), "</html>"));
  EXPECT_TRUE(holds(terminal_summary(s), "0 of 700 steps"));
}

TEST(Summary, ALossThatIsNoNumberIsStillDrawn) {
  for (const std::size_t numbers : {0, 1, 400}) {
    Metrics metrics = sample();
    for (StepEvent& e : metrics.steps) {
      if (static_cast<std::size_t>(700 - e.step) > numbers) e.loss = std::nan("");
    }
    const Summary s = summarize(metrics);
    EXPECT_TRUE(holds(make_page(s), "</html>"));
    EXPECT_TRUE(holds(terminal_summary(s), "world"));
  }
}

TEST(Summary, ARunOfNoRanksStillMakesAPage) {
  Metrics metrics;
  metrics.start = sample().start;
  metrics.start.ranks = 0;
  EXPECT_TRUE(holds(make_page(summarize(metrics)), "</html>"));
}

TEST(Summary, TheMeanRateIsImagesByTime) {
  Summary s;
  // 100 images a step; steps of 1 s, but one of 3 s.
  for (const double time : {1.0, 2.0, 5.0, 6.0}) {
    s.history.push_back({.time = time, .step = static_cast<int>(time), .images = 100});
  }
  const auto line = mean_rate_line(s, 0);
  ASSERT_EQ(line.size(), 3u);
  EXPECT_NEAR(line[0].y, 100, 1e-9);
  EXPECT_NEAR(line[1].y, 100 / 3.0, 1e-9);
  EXPECT_NEAR(mean_rate_line(s, 9)[1].y, 60, 1e-9);
}

TEST(Page, StandsAloneAndShowsTheRun) {
  const std::string page = make_page(summarize(sample()));
  for (const char* part : {"89.71 %", "rank 2 lost", "rank 0 joined", "Generations", "<svg",
                           "prefers-color-scheme", "5ad1c0ffee5717e5"}) {
    EXPECT_TRUE(holds(page, part)) << part;
  }
  for (const char* part : {"<script", "http:", "https:", "src=", "@import", "nan"}) {
    EXPECT_FALSE(holds(page, part)) << part;
  }
}

TEST(Page, EscapesWhatTheRecordsSay) {
  Metrics metrics = sample();
  metrics.generations[1].reason = "<script>alert(1)</script>";
  EXPECT_FALSE(holds(make_page(summarize(metrics)), "<script>"));
}

TEST(Terminal, TellsWhoDiedWhenAndHowFastTheRingHealed) {
  const std::string text = terminal_summary(summarize(sample()));
  for (const char* part : {"accuracy 89.71 %", "rank 2 lost", "step 210", "healed in 11.8 ms",
                           "signal 9", "4 3 4 3 4", "median 10.6 ms", "bitwise equal on 4 ranks"}) {
    EXPECT_TRUE(holds(text, part)) << part << "\n" << text;
  }
}

TEST(Terminal, SparklinesFollowTheValues) {
  EXPECT_EQ(sparkline({{0, 0}, {1, 1}, {2, 2}, {3, 3}}, 4, 0, 3), "▁▃▆█");
  EXPECT_EQ(sparkline({{0, 4}, {1, 4}}, 3, 4, 4), "███");
}

TEST(Summary, JsonHasTheSameNumbers) {
  const std::string json = summary_json(summarize(sample()));
  for (const char* part : {R"("accuracy":0.8971)", R"("losses":2)", R"("equal":true)"}) {
    EXPECT_TRUE(holds(json, part)) << part << "\n" << json;
  }
}

}  // namespace
}  // namespace ringmaster::launcher
