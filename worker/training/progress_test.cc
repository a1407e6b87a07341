// SPDX-License-Identifier: Apache-2.0
#include "worker/training/progress.h"

#include <gtest/gtest.h>

namespace ringmaster::training {
namespace {

using namespace std::chrono_literals;

const ProgressFacts kHalf = {.step = 50,
                             .steps = 100,
                             .epoch = 1,
                             .epochs = 4,
                             .loss = 0.35123,
                             .images_per_s = 6410.4,
                             .world = 2,
                             .seconds_left = 3661.2};
constexpr const char* kHalfText =
    "epoch 2/4  step 50/100  loss 0.3512  6410 images/s  2 ranks  1:01:02 left";

Time at(Duration since_start) {
  return Time(since_start);
}

TEST(Progress, PlainLinesAreRare) {
  Progress progress(0);
  EXPECT_EQ(progress.update(at(10s), kHalf), std::string(kHalfText) + "\n");
  EXPECT_EQ(progress.update(at(11s), kHalf), std::nullopt);
  EXPECT_EQ(progress.update(at(12s), kHalf), std::string(kHalfText) + "\n");
  ProgressFacts last = kHalf;
  last.step = 100;
  EXPECT_TRUE(progress.update(at(12s), last).has_value());
  EXPECT_EQ(progress.end(), "");
}

TEST(Progress, ABarIsDrawnInPlace) {
  Progress progress(100);
  const auto bar = progress.update(at(0s), kHalf);
  EXPECT_EQ(bar,
            "\r[" + std::string(11, '#') + std::string(11, '.') + "]  " + kHalfText + "\x1b[K");
  EXPECT_EQ(progress.update(at(50ms), kHalf), std::nullopt);
  EXPECT_TRUE(progress.update(at(100ms), kHalf).has_value());
  EXPECT_EQ(progress.end(), "\n");
  EXPECT_EQ(progress.end(), "");
}

TEST(Progress, FitsEveryWidth) {
  for (int columns = 1; columns < 200; ++columns) {
    const auto bar = Progress(columns).update(at(0s), kHalf);
    ASSERT_TRUE(bar.has_value());
    const std::size_t escapes = std::string("\r\x1b[K").size();
    EXPECT_LT(bar->size() - escapes, static_cast<std::size_t>(columns));
  }
}

TEST(Progress, BoundsAnAbsurdEstimate) {
  ProgressFacts facts = kHalf;
  facts.seconds_left = 1e300;
  EXPECT_NE(progress_text(facts).find("99:00:00 left"), std::string::npos);
}

}  // namespace
}  // namespace ringmaster::training
