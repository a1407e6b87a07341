// SPDX-License-Identifier: Apache-2.0
#include "launcher/process/signal_filter.h"

#include <gtest/gtest.h>

#include <csignal>

namespace ringmaster::launcher {
namespace {

using std::chrono::milliseconds;
constexpr Time kStart{std::chrono::hours(1)};

TEST(SignalFilter, drops_the_echo_and_keeps_the_second_press) {
  SignalFilter filter;
  EXPECT_TRUE(filter.accept(SIGINT, kStart));
  EXPECT_FALSE(filter.accept(SIGINT, kStart));
  EXPECT_FALSE(filter.accept(SIGINT, kStart + milliseconds(99)));
  EXPECT_TRUE(filter.accept(SIGINT, kStart + milliseconds(100)));
}

TEST(SignalFilter, an_echo_does_not_lengthen_the_time) {
  SignalFilter filter;
  EXPECT_TRUE(filter.accept(SIGINT, kStart));
  EXPECT_FALSE(filter.accept(SIGINT, kStart + milliseconds(60)));
  EXPECT_TRUE(filter.accept(SIGINT, kStart + milliseconds(120)));
}

TEST(SignalFilter, other_signals_are_no_echo) {
  SignalFilter filter;
  EXPECT_TRUE(filter.accept(SIGINT, kStart));
  EXPECT_TRUE(filter.accept(SIGTERM, kStart));
  EXPECT_FALSE(filter.accept(SIGTERM, kStart + milliseconds(1)));
}

}  // namespace
}  // namespace ringmaster::launcher
