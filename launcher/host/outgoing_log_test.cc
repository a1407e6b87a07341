// SPDX-License-Identifier: Apache-2.0
#include "launcher/host/outgoing_log.h"

#include <gtest/gtest.h>

namespace ringmaster::launcher {
namespace {

TEST(OutgoingLog, SendsEachByteOnceAndTheEndOnce) {
  OutgoingLog log;
  EXPECT_FALSE(log.next(100));
  log.grow(250);
  const auto one = log.next(100);
  ASSERT_TRUE(one);
  EXPECT_EQ(one->offset, 0);
  EXPECT_EQ(one->size, 100);
  EXPECT_FALSE(one->last);
  EXPECT_EQ(log.next(100)->offset, 100);
  EXPECT_EQ(log.in_flight(), 200);
  EXPECT_TRUE(log.take(100, false));
  EXPECT_FALSE(log.take(100, false));  // said again: it has come no further
  EXPECT_EQ(log.first(), 100);
  log.close();
  const auto last = log.next(100);
  EXPECT_EQ(last->size, 50);
  EXPECT_TRUE(last->last);
  EXPECT_FALSE(log.next(100));
  EXPECT_TRUE(log.take(200, false));
  EXPECT_TRUE(log.waits_for_answer());
  EXPECT_EQ(log.in_flight(), 50);
  EXPECT_TRUE(log.take(250, true));
  EXPECT_TRUE(log.complete());
  EXPECT_FALSE(log.waits_for_answer());
}

TEST(OutgoingLog, AnEndWithoutAByteIsSaid) {
  OutgoingLog log;
  log.close();
  const auto last = log.next(100);
  ASSERT_TRUE(last);
  EXPECT_EQ(last->size, 0);
  EXPECT_TRUE(last->last);
  EXPECT_FALSE(log.next(100));
  log.rewind();
  EXPECT_TRUE(log.next(100)->last);
}

TEST(OutgoingLog, WhatWasOnTheWayIsSentAgain) {
  OutgoingLog log;
  log.grow(300);
  log.next(200);
  log.take(50, false);
  log.rewind();
  EXPECT_EQ(log.in_flight(), 0);
  EXPECT_EQ(log.next(200)->offset, 50);
}

TEST(OutgoingLog, WhatIsGoneIsPassedOver) {
  OutgoingLog log;
  log.grow(1000);
  log.next(100);
  log.drop(600);
  EXPECT_EQ(log.first(), 600);
  EXPECT_EQ(log.next(100)->offset, 600);
  log.take(100, false);  // of what was on its way
  EXPECT_EQ(log.first(), 600);
  EXPECT_EQ(log.in_flight(), 100);
  // Dropping makes no room: what nobody answers stays on the way.
  log.drop(900);
  EXPECT_EQ(log.in_flight(), 100);
  log.take(700, false);
  EXPECT_EQ(log.in_flight(), 0);
}

}  // namespace
}  // namespace ringmaster::launcher
