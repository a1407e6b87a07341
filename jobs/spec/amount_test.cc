// SPDX-License-Identifier: Apache-2.0
#include "jobs/spec/amount.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/random.h"
#include "jobs/spec/random_job_file.h"

namespace ringmaster::jobs {
namespace {

using namespace std::chrono_literals;

TEST(Amount, DurationsAreANumberAndAUnit) {
  const std::vector<std::pair<std::string, Duration>> all = {
      {"30s", 30s},           {"1.5h", 90min},       {"0.25m", 15s}, {"100ms", 100ms},
      {"7us", 7us},           {"9ns", 9ns},          {"0s", 0s},     {"1.500s", 1500ms},
      {"2562047h", 2562047h}, {"0.000000001s", 1ns}, {"007s", 7s}};
  for (const auto& [text, duration] : all) {
    const auto parsed = parse_duration(text);
    ASSERT_TRUE(parsed.ok()) << text << ": " << parsed.error().message;
    EXPECT_EQ(*parsed, duration) << text;
  }
}

TEST(Amount, AWrongDurationIsRefusedWithTheReason) {
  const std::vector<std::pair<std::string, std::string>> all = {
      {"30", "30 has no unit"}, {"1.5", "1.5s"},
      {"30 s", "no space"},     {"30sec", "sec is no unit"},
      {"5 minutes", "5m"},      {"10S", "10s"},
      {"30x", "x is no unit"},  {"s", "no duration"},
      {"", "no duration"},      {"-3s", "not negative"},
      {"1.s", "digits follow"}, {"1h30m", "h30m"},
      {"0.5ns", "nanosecond"},  {"2562048h", "too long"},
      {".5h", "no duration"},   {"99999999999999999999s", "too long"},
      {"1e3s", "is no unit"},   {"1_000s", "is no unit"},
      {"30s ", "is no unit"}};
  for (const auto& [text, piece] : all) {
    const auto parsed = parse_duration(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_NE(parsed.error().message.find(piece), std::string::npos)
        << text << ": " << parsed.error().message;
  }
}

TEST(Amount, APeriodIsADurationOrANumberOfSteps) {
  EXPECT_EQ(*parse_period("500 steps"), Period(Steps{500}));
  EXPECT_EQ(*parse_period("1 step"), Period(Steps{1}));
  EXPECT_EQ(*parse_period("1ms"), Period(Duration(1ms)));
  EXPECT_EQ(*parse_period("720h"), Period(Duration(720h)));
  for (const char* text :
       {"0 steps", "1000000001 steps", "99999999999999999999 steps", "500steps", "500  steps",
        "1.5 steps", "-1 steps", "steps", "500", "0s", "721h", "999us", "", "500 steps "}) {
    EXPECT_FALSE(parse_period(text).ok()) << text;
  }
}

TEST(Amount, WhatIsWrittenIsReadBack) {
  for (std::uint64_t seed = 0; seed < 5000; ++seed) {
    Random random(seed);
    const Period period = random_period(random);
    const auto again = parse_period(period_text(period));
    ASSERT_TRUE(again.ok()) << "seed " << seed << ": " << again.error().message;
    ASSERT_EQ(*again, period) << "seed " << seed << ": " << period_text(period);
  }
  EXPECT_EQ(duration_text(90min), "90m");
  EXPECT_EQ(duration_text(1500ms), "1500ms");
  EXPECT_EQ(duration_text(0s), "0ns");
}

}  // namespace
}  // namespace ringmaster::jobs
