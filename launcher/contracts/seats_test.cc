// SPDX-License-Identifier: Apache-2.0
#include "launcher/contracts/seats.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/random.h"

namespace ringmaster::launcher {
namespace {

TEST(Seats, OneHostIsItsOwnWorld) {
  const auto seats = seats_of({7, 7, 7});
  ASSERT_EQ(seats.size(), 3U);
  EXPECT_EQ(seats[2], (Seat{2, 2, 3, 0, 0, 1}));
}

TEST(Seats, UnequalHostsHaveTheirOwnSizes) {
  const auto seats = seats_of({0, 0, 0, 1, 1, 1, 1, 1, 2});
  EXPECT_EQ(seats[0], (Seat{0, 0, 3, 0, 0, 3}));
  EXPECT_EQ(seats[3], (Seat{3, 0, 5, 1, 1, 3}));
  EXPECT_EQ(seats[5], (Seat{5, 2, 5, 1, 1, 2}));
  EXPECT_EQ(seats[7], (Seat{7, 4, 5, 1, 0, 1})) << "nobody else has five ranks";
  EXPECT_EQ(seats[8], (Seat{8, 0, 1, 2, 2, 3}));
}

TEST(Seats, RanksDealtToHostsInTurn) {
  const auto seats = seats_of({5, 3, 5, 3});
  EXPECT_EQ(seats[1], (Seat{1, 0, 2, 1, 1, 2}));
  EXPECT_EQ(seats[2], (Seat{2, 1, 2, 0, 0, 2})) << "host 5 came first";
}

/// Whatever the hosts: each local rank of a host exists once, each cross rank of a local rank too.
TEST(Seats, EverySeatIsTakenOnce) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    std::vector<int> hosts(random.below(40));
    for (int& host : hosts) host = static_cast<int>(random.below(6));
    std::set<std::pair<int, int>> locals, crosses;
    std::map<int, int> local_sizes, cross_sizes;
    const auto seats = seats_of(hosts);
    for (const Seat& seat : seats) {
      EXPECT_TRUE(locals.emplace(seat.host, seat.local_rank).second);
      EXPECT_TRUE(crosses.emplace(seat.local_rank, seat.cross_rank).second);
      EXPECT_LT(seat.local_rank, seat.local_size);
      EXPECT_LT(seat.cross_rank, seat.cross_size);
      ++local_sizes[seat.host];
      ++cross_sizes[seat.local_rank];
    }
    for (const Seat& seat : seats) {
      EXPECT_EQ(seat.local_size, local_sizes[seat.host]) << "seed " << seed;
      EXPECT_EQ(seat.cross_size, cross_sizes[seat.local_rank]) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace ringmaster::launcher
