// SPDX-License-Identifier: Apache-2.0
#include "storage/checkpoint/line.h"

#include <gtest/gtest.h>

namespace ringmaster::storage {
namespace {

Opening opening(std::int64_t term, std::optional<CheckpointName> resumes) {
  return {"job", term, resumes};
}

using Names = std::vector<CheckpointName>;

TEST(Line, GoesFromTheNewestTermToWhatItResumedFrom) {
  const Openings openings = {{1, opening(1, {})}, {2, opening(2, CheckpointName{1, 20})}};
  const Line line = make_line(openings, {{1, 10}, {1, 20}, {1, 30}, {2, 25}, {2, 40}});
  EXPECT_EQ(line.term, 2);
  // (1, 30) came after term 2 was opened, or was damaged then: it does not count.
  EXPECT_EQ(line.candidates, (Names{{2, 40}, {2, 25}, {1, 20}, {1, 10}}));
  EXPECT_TRUE(line.cut.empty());
}

TEST(Line, AnEmptyTermStandsForWhatItResumedFrom) {
  const Openings openings = {{1, opening(1, {})}, {4, opening(4, CheckpointName{1, 20})}};
  EXPECT_EQ(make_line(openings, {{1, 20}, {1, 30}, {3, 50}}).candidates, (Names{{1, 20}}));
}

TEST(Line, WhatWasNeverOpenedDoesNotCount) {
  EXPECT_TRUE(make_line({}, {{1, 20}}).candidates.empty());
  EXPECT_EQ(make_line({}, {{1, 20}}).term, 0);
}

TEST(Line, ATermThatResumedFromNothingEndsIt) {
  const Openings openings = {{1, opening(1, {})}, {2, opening(2, {})}};
  EXPECT_EQ(make_line(openings, {{1, 20}, {2, 5}}).candidates, (Names{{2, 5}}));
}

TEST(Line, ADamagedOpeningGoesOnWithTheTermBefore) {
  const Openings openings = {{1, opening(1, {})}, {2, {}}};
  const Line line = make_line(openings, {{1, 20}, {2, 30}});
  EXPECT_EQ(line.candidates, (Names{{2, 30}, {1, 20}}));
  EXPECT_EQ(line.cut, (std::vector<std::int64_t>{2}));
}

TEST(Line, WhoOpensATermLooksAtTheTermsBefore) {
  const Openings openings = {{1, opening(1, {})}, {3, opening(3, CheckpointName{1, 10})}};
  EXPECT_EQ(make_line(openings, {{1, 10}, {1, 20}, {3, 30}}, 2).candidates,
            (Names{{1, 20}, {1, 10}}));
}

}  // namespace
}  // namespace ringmaster::storage
