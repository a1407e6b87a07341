// SPDX-License-Identifier: Apache-2.0
#include "collectives/tensors/roll_call.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace ringmaster::collectives {
namespace {

using std::chrono::seconds;

Announced announced(const std::string& name, std::uint64_t count, Duration age = seconds(1)) {
  return {{name, RINGMASTER_FLOAT32, RINGMASTER_SUM, count}, 0x1000, age};
}

/// Of two ranks with the numbers 3 and 5.
Verdict judged(Announcement first, Announcement second) {
  for (Announcement* one : {&first, &second}) {
    if (one->timeout == Duration::zero()) one->timeout = seconds(100);
  }
  return judge({first, second}, {3, 5}, seconds(10));
}

TEST(RollCall, AnnouncementsComeOutAsTheyWentIn) {
  Announcement sent{.closing = true, .bucket_bytes = 77, .timeout = seconds(3), .tensors = {}};
  sent.tensors.push_back({{"a name", RINGMASTER_BFLOAT16, RINGMASTER_MAX, 12}, 99, seconds(7)});
  sent.tensors.push_back(announced("", 0));
  const auto read = decode(encode(sent));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_TRUE(read->closing);
  EXPECT_EQ(read->bucket_bytes, 77u);
  EXPECT_EQ(read->timeout, seconds(3));
  ASSERT_EQ(read->tensors.size(), 2u);
  EXPECT_EQ(read->tensors[0].tensor, sent.tensors[0].tensor);
  EXPECT_EQ(read->tensors[0].address, 99u);
  EXPECT_EQ(read->tensors[0].age, seconds(7));
}

TEST(RollCall, WhatIsDamagedIsAnErrorOrAnotherAnnouncement) {
  Announcement sent{.closing = false, .bucket_bytes = 1, .timeout = seconds(1), .tensors = {}};
  for (int i = 0; i < 5; ++i) sent.tensors.push_back(announced("tensor " + std::to_string(i), 4));
  const auto whole = encode(sent);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto read = decode(std::span(whole).first(size));
    // Where a tensor ends the rest could be all there was.
    EXPECT_TRUE(!read || read->tensors.size() < sent.tensors.size());
  }
  Random random(1);
  for (int turn = 0; turn < 2000; ++turn) {
    auto bytes = whole;
    for (int i = 0; i < 3; ++i) {
      bytes[random.below(bytes.size())] = static_cast<std::byte>(random.below(256));
    }
    const auto read = decode(bytes);
    EXPECT_TRUE(read || read.error().code == Errc::corrupt);
  }
}

TEST(RollCall, NothingIsWrongWithEqualTensorsInAnyOrder) {
  const auto verdict = judged({.tensors = {announced("a", 1), announced("b", 2)}},
                              {.tensors = {announced("b", 2), announced("a", 1)}});
  EXPECT_FALSE(verdict.error.has_value());
  EXPECT_EQ(verdict.warning, "");
}

TEST(RollCall, ATensorThatDiffersIsNamedWithBothRanks) {
  const auto count = judged({.tensors = {announced("a", 1)}}, {.tensors = {announced("a", 2)}});
  ASSERT_TRUE(count.error.has_value());
  EXPECT_EQ(count.error->code, Errc::mismatch);
  EXPECT_EQ(count.error->message,
            "tensor a: rank 3 handed in all_reduce of 1 float32 (sum), rank 5 handed in all_reduce "
            "of 2 float32 (sum)");
  Announced other = announced("a", 1);
  other.tensor.type = RINGMASTER_INT32;
  EXPECT_TRUE(judged({.tensors = {announced("a", 1)}}, {.tensors = {other}}).error.has_value());
  other = announced("a", 1);
  other.tensor.reduction = RINGMASTER_MAX;
  EXPECT_TRUE(judged({.tensors = {announced("a", 1)}}, {.tensors = {other}}).error.has_value());
}

TEST(RollCall, BucketsThatDifferAreAMismatch) {
  const auto verdict = judged({.bucket_bytes = 1}, {.bucket_bytes = 2});
  ASSERT_TRUE(verdict.error.has_value());
  EXPECT_EQ(verdict.error->message, "tensors: rank 3 has buckets of 1 bytes, rank 5 of 2");
}

TEST(RollCall, ATensorThatARankKeepsBackIsWarnedOfThenAnError) {
  const auto early = judged({.tensors = {announced("a", 1, seconds(9))}}, {});
  EXPECT_FALSE(early.error.has_value());
  EXPECT_EQ(early.warning, "");
  const auto late = judged({}, {.tensors = {announced("a", 1, seconds(11))}});
  EXPECT_FALSE(late.error.has_value());
  EXPECT_EQ(late.warning, "tensor a: handed in by rank 5, not by rank 3, for 11.0 s");
  const auto over = judged({.tensors = {announced("a", 1, seconds(101))}}, {});
  ASSERT_TRUE(over.error.has_value());
  EXPECT_EQ(over.error->code, Errc::timed_out);
  // The shortest time-out of the ranks counts, so that all come to the same end.
  const auto shorter =
      judged({.tensors = {announced("a", 1, seconds(11))}}, {.timeout = seconds(5), .tensors = {}});
  EXPECT_TRUE(shorter.error.has_value());
}

TEST(RollCall, WhenAllHaveClosedATensorThatOneLacksIsAnErrorAtOnce) {
  Announcement has{.closing = true, .tensors = {}};
  for (int i = 0; i < 5; ++i) has.tensors.push_back(announced(std::to_string(i), 1));
  const auto open = judged(has, {.closing = false, .tensors = {}});
  EXPECT_FALSE(open.error.has_value());
  const auto closed = judged(has, {.closing = true, .tensors = {}});
  ASSERT_TRUE(closed.error.has_value());
  EXPECT_EQ(closed.error->code, Errc::mismatch);
  EXPECT_EQ(closed.error->message,
            "tensor 0: handed in by rank 3, not by rank 5, for 1.0 s; tensor 1: handed in by rank "
            "3, not by rank 5, for 1.0 s; tensor 2: handed in by rank 3, not by rank 5, for 1.0 s; "
            "and 2 more, and all ranks wait for the end");
}

}  // namespace
}  // namespace ringmaster::collectives
