// SPDX-License-Identifier: Apache-2.0
#include "launcher/ending/stillness.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/temporary_folder.h"

namespace ringmaster::launcher {
namespace {

Time at(double seconds) {
  return Time{} + std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

using Signs = std::vector<RankSign>;

TEST(Stillness, NothingMovesForTheLimit) {
  Stillness still(std::chrono::seconds(10), at(100));
  const Signs signs = {{0, 10, at(101), 0}, {1, 11, at(103), 0}};
  for (double now = 100.5; now < 113; now += 0.5) EXPECT_FALSE(still.look(at(now), signs)) << now;
  EXPECT_TRUE(still.look(at(113), signs));
  EXPECT_EQ(still.moved(), at(103));
  const std::vector<std::string> lines = {"rank 0: silent for 12.0 s, sleeping",
                                          "rank 1: silent for 10.0 s"};
  EXPECT_EQ(silence_lines(still, at(113), signs, {"sleeping", ""}, 16), lines);
  EXPECT_EQ(silence_lines(still, at(113), signs, {"", ""}, 1).back(), "and 1 others");
}

TEST(Stillness, AFinishedStepOfOneRankIsProgressOfAll) {
  Stillness still(std::chrono::seconds(10), at(100));
  for (double now = 100.5; now < 150; now += 0.5) {
    EXPECT_FALSE(still.look(
        at(now), {{0, 10, at(100), 0}, {1, 11, at(100), static_cast<std::int64_t>(now / 9)}}))
        << now;
  }
}

/// Looks every tenth of a second; the moment at which the job was found still, 0 when it was not.
double first_still(Stillness& still, double from, double to, const Signs& signs) {
  for (double now = from; now < to; now += 0.1) {
    if (still.look(at(now), signs)) return now;
  }
  return 0;
}

TEST(Stillness, WhoEndsHasMoved) {
  Stillness still(std::chrono::seconds(2), at(100));
  const Signs both = {{0, 10, at(100), 0}, {1, 11, at(100), 0}}, one = {{0, 10, at(100), 0}};
  EXPECT_EQ(first_still(still, 100.1, 101.9, both), 0);
  EXPECT_NEAR(first_still(still, 102, 110, one), 104, 0.2);
}

TEST(Stillness, TimeInWhichTheLauncherItselfStoodStillDoesNotCount) {
  Stillness still(std::chrono::seconds(2), at(100));
  const Signs signs = {{0, 10, at(100), 0}};
  EXPECT_FALSE(still.look(at(100.1), signs));
  EXPECT_FALSE(still.look(at(500), signs)) << "what came while it slept is still to be read";
  EXPECT_NEAR(first_still(still, 500.1, 510, signs), 502, 0.2);
  still.excuse(at(600));
  EXPECT_NEAR(first_still(still, 600.1, 610, signs), 602, 0.2);
}

TEST(Doing, IsWhatTheKernelSays) {
  const TemporaryFolder root;
  std::filesystem::create_directories(root.file("proc/7"));
  std::ofstream(root.file("proc/7/stat")) << "7 (a) b) D 1 7 7 0\n";
  EXPECT_EQ(read_doing(root.path(), 7), "waiting for a device or file system");
  std::ofstream(root.file("proc/7/stat")) << "7 (a) S 1 7 7 0\n";
  std::ofstream(root.file("proc/7/wchan")) << "futex_wait_queue";
  EXPECT_EQ(read_doing(root.path(), 7), "sleeping in futex_wait_queue");
  EXPECT_EQ(read_doing(root.path(), 8), "");
  EXPECT_TRUE(read_doing("", ::getpid()).starts_with("running"));
}

}  // namespace
}  // namespace ringmaster::launcher
