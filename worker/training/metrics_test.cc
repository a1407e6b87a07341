// SPDX-License-Identifier: Apache-2.0
#include "worker/training/metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "worker/training/metrics_file.h"

namespace ringmaster::training {
namespace {

const GenerationFacts kThird = {.generation = 3,
                                .rank = 2,
                                .position = 1,
                                .world = 3,
                                .members = "0 2 3",
                                .lost = 1,
                                .joined = 0,
                                .steps = 120,
                                .source = 2,
                                .heal_seconds = 0.0125,
                                .reason = "rank 1 lost: \"killed\"\n"};

TEST(Metrics, WritesEveryFieldOfEachLine) {
  EXPECT_EQ(start_line(1.5, {"cnn", 4, 7, 3, 1407, 128, 60000, 10000, "Zen"}),
            R"({"event":"start","time":1.500000,"model":"cnn","ranks":4,"seed":7,"epochs":3,)"
            R"("steps":1407,"batch":128,"train_images":60000,"test_images":10000,"kernel":"Zen"})"
            "\n");
  EXPECT_EQ(generation_line(2, kThird),
            R"({"event":"generation","time":2.000000,"generation":3,"rank":2,"world":3,)"
            R"("members":[0,2,3],"lost":1,"joined":0,"steps":120,"source":2,"heal_ms":12.500,)"
            R"("reason":"rank 1 lost: \"killed\"\u000a"})"
            "\n");
  EXPECT_EQ(step_line(2, kThird, {121, 0, 0.25, 6400, 15488, 128, 127}),
            R"({"event":"step","time":2.000000,"step":121,"epoch":0,"generation":3,"rank":2,)"
            R"("world":3,"loss":0.25,"images_per_s":6400.0,"first":15488,"images":128,)"
            R"("counted":127})"
            "\n");
  EXPECT_EQ(result_line(2, kThird, {0.91235, 1407, 30.5, 5901.64, 0xabcULL}),
            R"({"event":"result","time":2.000000,"rank":2,"generation":3,"accuracy":0.9123,)"
            R"("steps":1407,"seconds":30.500,"images_per_s":5901.6,"weights":"0000000000000abc"})"
            "\n");
}

TEST(Metrics, ALossThatIsNoNumberIsNull) {
  for (const double loss : {std::nan(""), HUGE_VAL}) {
    const std::string line = step_line(2, kThird, {121, 0, loss, 6400, 15488, 128, 127});
    EXPECT_NE(line.find(R"("loss":null,)"), std::string::npos) << line;
  }
}

std::string content(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(MetricsFile, AppendsUntilItIsEmptied) {
  std::string folder = testing::TempDir() + "metrics.XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const std::string path = folder + "/run.jsonl";
  auto one = MetricsFile::open(path), other = MetricsFile::open(path);
  ASSERT_TRUE(one.ok() && other.ok());
  EXPECT_TRUE(one->append("a\n").ok());
  EXPECT_TRUE(other->append("b\n").ok());
  EXPECT_TRUE(one->append("c\n").ok());
  EXPECT_EQ(content(path), "a\nb\nc\n");
  EXPECT_TRUE(other->empty().ok());
  EXPECT_TRUE(one->append("d\n").ok());
  EXPECT_EQ(content(path), "d\n");
  std::filesystem::remove_all(folder);
}

TEST(MetricsFile, SaysWhatWentWrong) {
  auto absent = MetricsFile::open("/absent/run.jsonl");
  ASSERT_FALSE(absent.ok());
  EXPECT_EQ(absent.error().message,
            "open metrics file /absent/run.jsonl: No such file or directory");
  auto full = MetricsFile::open("/dev/full");
  ASSERT_TRUE(full.ok());
  EXPECT_TRUE(full->empty().ok());
  auto written = full->append("line\n");
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().message, "write metrics file /dev/full: No space left on device");
}

TEST(MetricsFile, WithoutAPathNothingIsWritten) {
  auto file = MetricsFile::open("");
  ASSERT_TRUE(file.ok());
  EXPECT_FALSE(file->wanted());
  EXPECT_TRUE(file->empty().ok());
  EXPECT_TRUE(file->append("line\n").ok());
}

}  // namespace
}  // namespace ringmaster::training
