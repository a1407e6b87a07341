// SPDX-License-Identifier: Apache-2.0
#include "collectives/tcp/calibrate.h"

#include <gtest/gtest.h>

#include "collectives/tcp/ranks_for_test.h"

namespace ringmaster::collectives {
namespace {

TEST(Calibrate, FindsTheSameOnAllRanks) {
  TcpRanks ranks(3);
  std::vector<schedules::Cost> costs(3);
  ranks.run(1, [&](TcpCommunicator& ring) {
    const auto cost = calibrate(ring, std::chrono::milliseconds(2));
    ASSERT_TRUE(cost.ok()) << cost.error().message;
    costs[static_cast<std::size_t>(ring.position())] = *cost;
  });
  for (const schedules::Cost& cost : costs) {
    EXPECT_EQ(cost.round_us, costs.front().round_us);
    EXPECT_EQ(cost.byte_ns, costs.front().byte_ns);
    EXPECT_EQ(cost.reduce_ns, costs.front().reduce_ns);
    // A hop over loopback takes more than a system call and less than a lost one's repetition; the
    // rest is what no memory is faster and no loopback slower than.
    EXPECT_GT(cost.round_us, 0.5);
    EXPECT_LT(cost.round_us, 200000);
    EXPECT_GT(cost.byte_ns, 0.005);
    EXPECT_LT(cost.byte_ns, 10000);
    EXPECT_GT(cost.reduce_ns, 0.001);
    EXPECT_LT(cost.reduce_ns, 1000);
  }
}

TEST(Calibrate, EndsWithTheGeneration) {
  TcpRanks ranks(2);
  ranks.run(1, [&](TcpCommunicator& ring) {
    if (ring.position() == 1) return ranks.abort(1);
    const auto cost = calibrate(ring, std::chrono::seconds(10));
    ASSERT_FALSE(cost.ok());
    EXPECT_EQ(cost.error().code, Errc::generation_changed) << cost.error().message;
  });
}

}  // namespace
}  // namespace ringmaster::collectives
