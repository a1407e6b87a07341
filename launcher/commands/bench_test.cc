// SPDX-License-Identifier: Apache-2.0
//
// The arithmetic of the benchmarks: what they would tell from known records.
#include <gtest/gtest.h>

#include <signal.h>

#include <filesystem>
#include <fstream>

#include "launcher/commands/bench_results.h"
#include "launcher/commands/recovery_log.h"
#include "launcher/commands/scaling_plot.h"
#include "launcher/commands/training_gap.h"
#include "launcher/process/program.h"
#include "launcher/report/sample_run.h"

namespace ringmaster::launcher {
namespace {

Time at(std::int64_t ms) {
  return Time(std::chrono::milliseconds(ms));
}

TEST(BenchResults, SpreadIsOfTheSortedValues) {
  const Spread spread = spread_of({5, 1, 3, 2, 4});
  EXPECT_EQ(spread.p50, 3);
  EXPECT_EQ(spread.min, 1);
  EXPECT_EQ(spread.max, 5);
  EXPECT_NEAR(spread.p95, 4.8, 1e-9);
  EXPECT_EQ(spread.samples, 5u);
}

TEST(BenchResults, BarsAreMetOnTheirOwnSide) {
  EXPECT_TRUE((Bar{"ms", 50, 50}).met());
  EXPECT_FALSE((Bar{"ms", 50.1, 50}).met());
  EXPECT_TRUE((Bar{"efficiency", 0.9, 0.85, true}).met());
  EXPECT_FALSE((Bar{"efficiency", 0.8, 0.85, true}).met());
  EXPECT_EQ(
      bars_json("x", {{"ms", 60, 50}}),
      R"({"bench":"x","summary":{"bars":[{"name":"ms","value":60.0,"bar":50.0,"met":false}]}})");
}

TEST(Scaling, TheRateLeavesTheWarmUpOut) {
  Metrics metrics;
  for (int step = 0; step < 4; ++step) {
    // The first step takes ten seconds, the others two.
    StepEvent e{.time = 110.0 + 2 * step, .step = step, .rank = 1, .images = 100};
    metrics.steps.push_back(e);
    e.rank = 3;
    metrics.steps.push_back(e);
  }
  const auto rate = rate_after(metrics, 1);
  ASSERT_TRUE(rate) << rate.error().message;
  EXPECT_NEAR(*rate, 50, 1e-9);
  EXPECT_FALSE(rate_after(metrics, 4));
}

TEST(Scaling, SpeedUpIsTheMedianOfPairs) {
  // The machine became twice as fast in the last repeat; the ratios do not change.
  const auto points = scaling_points({1, 2}, {{100, 100, 200}, {180, 190, 380}},
                                     {{100, 100, 200}, {200, 200, 390}});
  EXPECT_NEAR(points[1].speed_up.p50, 1.9, 1e-9);
  EXPECT_NEAR(points[1].efficiency(), 0.95, 1e-9);
  EXPECT_NEAR(points[1].ceiling.p50, 2.0, 1e-9);
  EXPECT_NEAR(points[1].of_ceiling(), 0.95, 1e-9);
}

TEST(Scaling, OnlyRanksWithACoreOfTheirOwnHaveABar) {
  Scaling scaling{"cnn", "Haswell",
                  2,     256,
                  60,    scaling_points({1, 2, 4}, {{100}, {160}, {150}}, {{100}, {180}, {170}})};
  const auto bars = scaling_bars(scaling, 0.85);
  ASSERT_EQ(bars.size(), 1u);
  EXPECT_FALSE(bars[0].met());
  EXPECT_NE(scaling_table(scaling).find("more ranks than cores"), std::string::npos);
  EXPECT_NE(scaling_svg(scaling).find("1.60×"), std::string::npos);
}

TEST(RecoveryLog, ReadsItsOwnLinesInPieces) {
  RecoveryLog log;
  const std::string line = format_line({2, 77, 5, 4, at(9)});
  EXPECT_TRUE(log.append(line.substr(0, 3)));
  EXPECT_FALSE(log.pid_of(2, 5));
  EXPECT_TRUE(log.append(line.substr(3)));
  EXPECT_EQ(log.pid_of(2, 5), 77);
  EXPECT_FALSE(log.append("1 2 x 4 5\n"));
}

TEST(RecoveryLog, TellsWhenSurvivorsAndReplacementWentOn) {
  RecoveryLog log;
  const auto add = [&](int rank, std::int64_t generation, int world, int ms) {
    EXPECT_TRUE(log.append(format_line({rank, 100 + rank, generation, world, at(ms)})));
  };
  for (int rank = 0; rank < 3; ++rank) add(rank, 1, 3, 10 + rank);
  EXPECT_EQ(log.whole_generation(3, 0), 1);
  // Rank 1 is lost; rank 2 hears of it only in the generation that the replacement joins.
  add(0, 2, 2, 20);
  EXPECT_FALSE(log.survivors_went_on(3, {1}, 1));
  add(0, 3, 3, 31);
  add(2, 3, 3, 30);
  EXPECT_EQ(log.survivors_went_on(3, {1}, 1), at(30));
  EXPECT_FALSE(log.whole_generation(3, 1));
  add(1, 3, 3, 35);
  EXPECT_EQ(log.whole_generation(3, 1), 3);
  EXPECT_EQ(log.completed(3), at(35));
}

TEST(TrainingGap, IsTheLongStepAtALossLessAUsualOne) {
  Metrics metrics;
  double time = 0;
  for (int step = 0; step < 20; ++step) {
    time += step == 10 ? 0.055 : 0.005;
    metrics.steps.push_back({.time = time, .step = step, .generation = step < 10 ? 1 : 2});
  }
  metrics.generations = {{.generation = 1}, {.generation = 2, .lost = 1}};
  const auto gaps = training_gaps_ms(metrics);
  ASSERT_TRUE(gaps);
  ASSERT_EQ(gaps->size(), 1u);
  EXPECT_NEAR(gaps->front(), 50, 1e-6);
}

TEST(Program, IsEndedByItsOwner) {
  auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  {
    auto program =
        Program::start({"/bin/sh", "-c", "echo $$ > " + folder->file("pid") + "; exec sleep 1000"},
                       folder->file("log"));
    ASSERT_TRUE(program) << program.error().message;
    while (!std::filesystem::exists(folder->file("pid")) ||
           std::filesystem::file_size(folder->file("pid")) == 0) {
      const auto status = program->wait(std::chrono::milliseconds(1));
      ASSERT_TRUE(status && !status->has_value());
    }
  }
  pid_t pid = 0;
  std::ifstream(folder->file("pid")) >> pid;
  ASSERT_GT(pid, 0);
  EXPECT_EQ(::kill(pid, 0), -1);
}

TEST(Program, AFailureIsToldWithItsLastWords) {
  auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  const auto ran = run_program({"/bin/sh", "-c", "echo no disk >&2; exit 3"}, folder->file("log"),
                               std::chrono::seconds(60));
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error().message, "sh ended with exit code 3: no disk");
}

TEST(Program, TheTemporaryFolderIsRemoved) {
  std::string path;
  {
    auto folder = TemporaryFolder::make();
    ASSERT_TRUE(folder);
    path = folder->file("");
    std::ofstream(folder->file("x")) << "x";
    EXPECT_TRUE(std::filesystem::exists(path));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace ringmaster::launcher
