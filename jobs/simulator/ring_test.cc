// SPDX-License-Identifier: Apache-2.0
#include "jobs/simulator/ring.h"

#include <gtest/gtest.h>

namespace ringmaster::jobs::simulator {
namespace {

Ring ring_of(int size) {
  GenerationTable table;
  table.generation = Generation{1};
  for (int i = 0; i < size; ++i) {
    table.members.push_back({{JobId{1}, Rank{i}, Incarnation{i + 1}}, HostId{1}});
  }
  return Ring(table);
}

TEST(Ring, CompletesWithTheLastAndNotBefore) {
  Ring ring = ring_of(3);
  EXPECT_EQ(ring.arrive(0, Point::reducing, 4), "");
  EXPECT_EQ(ring.arrive(2, Point::reducing, 4), "");
  EXPECT_FALSE(ring.complete(2));
  EXPECT_EQ(ring.arrive(1, Point::reducing, 4), "");
  EXPECT_TRUE(ring.complete(1));
  EXPECT_EQ(ring.arrive(1, Point::reducing, 5), "");
  EXPECT_FALSE(ring.complete(1));
  EXPECT_TRUE(ring.complete(0));  // still at the operation before
}

TEST(Ring, AMismatchNamesBothCalls) {
  Ring ring = ring_of(2);
  EXPECT_EQ(ring.arrive(0, Point::reducing, 4), "");
  EXPECT_EQ(ring.arrive(1, Point::reducing, 5),
            "generation 1: position 1 calls reducing with 5 steps, another one reducing with 4");
}

TEST(Ring, TheSharesOfABatchAreTheBatch) {
  for (int size = 1; size <= 13; ++size) {
    Ring ring = ring_of(size);
    for (int i = 0; i < size; ++i) EXPECT_EQ(ring.arrive(i, Point::reducing, 0), "");
    EXPECT_EQ(ring.counted(0), kBatch) << size;
  }
}

TEST(Ring, TheLowestOfTheFurthestIsTheSource) {
  EXPECT_EQ(choose_source({3, 4, 4}), 1);
  EXPECT_EQ(choose_source({kNoState, kNoState}), 0);
  EXPECT_EQ(choose_source({kNoState, 0}), 1);
}

}  // namespace
}  // namespace ringmaster::jobs::simulator
