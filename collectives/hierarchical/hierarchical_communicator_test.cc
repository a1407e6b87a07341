// SPDX-License-Identifier: Apache-2.0
//
// What the conformance suite does not look at: bits, mismatches within a host and between hosts,
// aborts, messages.
#include "collectives/hierarchical/hierarchical_communicator.h"

#include <gtest/gtest.h>

#include <atomic>

#include "base/random.h"
#include "collectives/hierarchical/ranks_for_test.h"

namespace ringmaster::collectives {
namespace {

const std::vector<int> kEven = {0, 0, 1, 1};
const std::vector<int> kUneven = {0, 1, 1, 0, 2};

TEST(Hierarchical, TheSameBitsOnAllRanksAndInARepeat) {
  for (const auto& hosts : {kEven, kUneven}) {
    for (const std::size_t count : {100, 200000}) {
      HierarchicalRanks ranks(hosts);
      std::vector<std::vector<float>> sums(2 * hosts.size());
      for (std::int64_t generation = 1; generation <= 2; ++generation) {
        ranks.run(generation, [&](HierarchicalCommunicator& ring) {
          Random random(static_cast<std::uint64_t>(ring.position()));
          std::vector<float> data(count);
          for (float& value : data) value = static_cast<float>(random.unit());
          const auto end = ring.all_reduce(data.data(), data.data(), count, RINGMASTER_FLOAT32,
                                           RINGMASTER_AVERAGE);
          ASSERT_TRUE(end.ok()) << end.error().message;
          const auto first = static_cast<std::size_t>(generation - 1) * hosts.size();
          sums[first + static_cast<std::size_t>(ring.position())] = std::move(data);
        });
      }
      for (const auto& sum : sums) EXPECT_EQ(sum, sums.front());
      EXPECT_NEAR(sums.front().front(), 0.5, 0.5);
    }
  }
}

TEST(Hierarchical, EveryDifferenceIsAnErrorOnAllRanks) {
  std::int64_t generation = 0;
  for (const auto& hosts : {kEven, kUneven}) {
    const int size = static_cast<int>(hosts.size());
    for (const std::size_t count : {10, 100000}) {
      HierarchicalRanks ranks(hosts);
      for (int other = 0; other < size; ++other) {
        SCOPED_TRACE(testing::Message() << size << " ranks, " << other << " differs");
        ranks.run(++generation, [&](HierarchicalCommunicator& ring) {
          std::vector<float> data(count + 1);
          if (other % 2 == 0) {
            ASSERT_TRUE(ring.barrier());
          }
          const std::size_t own = count + (ring.position() == other ? 1 : 0);
          const auto end =
              ring.all_reduce(data.data(), data.data(), own, RINGMASTER_FLOAT32, RINGMASTER_SUM);
          ASSERT_FALSE(end.ok());
          EXPECT_EQ(end.error().code, Errc::mismatch) << end.error().message;
          for (const std::size_t called : {count, count + 1}) {
            const std::string words = "called all_reduce of " + std::to_string(called) + " float32";
            EXPECT_NE(end.error().message.find(words), std::string::npos) << end.error().message;
          }
          EXPECT_EQ(ring.barrier().error().code, Errc::mismatch);
        });
      }
    }
  }
}

TEST(Hierarchical, AnAbortEndsEveryWait) {
  HierarchicalRanks ranks(kUneven);
  for (std::int64_t generation = 1; generation <= 20; ++generation) {
    std::atomic<int> inside{0};
    std::thread agent([&] {
      while (inside < ranks.size() - 1) std::this_thread::yield();
      ranks.abort(generation);
    });
    ranks.run(generation, [&](HierarchicalCommunicator& ring) {
      std::vector<float> data(static_cast<std::size_t>(generation) * 5000, 1);
      if (generation % 2 == 0) {
        // The one that is lost may still be in it.
        const auto met = ring.barrier();
        if (!met) {
          EXPECT_EQ(met.error().code, Errc::generation_changed) << met.error().message;
          return;
        }
      }
      if (ring.position() == static_cast<int>(generation) % ranks.size()) return;  // is lost
      ++inside;
      const auto end = ring.all_reduce(data.data(), data.data(), data.size(), RINGMASTER_FLOAT32,
                                       RINGMASTER_SUM);
      ASSERT_FALSE(end.ok());
      EXPECT_EQ(end.error().code, Errc::generation_changed) << end.error().message;
    });
    agent.join();
  }
}

TEST(Hierarchical, MessagesGoBetweenAnyTwo) {
  HierarchicalRanks ranks(kUneven);
  ranks.run(1, [&](HierarchicalCommunicator& ring) {
    const int size = ring.size(), own = ring.position();
    for (int turn = 1; turn < size; ++turn) {
      const int to = (own + turn) % size, from = (own + size - turn) % size;
      std::int64_t sent = 100 * own + turn, received = 0;
      ASSERT_TRUE(ring.exchange({{&sent, 1, RINGMASTER_INT64, to}},
                                {{&received, 1, RINGMASTER_INT64, from}}));
      EXPECT_EQ(received, 100 * from + turn);
      ASSERT_TRUE(ring.barrier());
    }
  });
}

TEST(Hierarchical, SaysWhoIsLate) {
  HierarchicalRanks ranks(kEven);
  std::atomic<int> given_up{0};
  ranks.run(1, [&](HierarchicalCommunicator& ring) {
    ASSERT_TRUE(ring.barrier());
    if (ring.position() != 3) {
      // Rank 2 knows first, being on its host; the other host learns it from there or by itself.
      ring.set_timeout(std::chrono::milliseconds(ring.position() == 2 ? 50 : 400));
      const auto end = ring.barrier();
      ASSERT_FALSE(end.ok());
      EXPECT_EQ(end.error().code, Errc::timed_out) << end.error().message;
      if (ring.position() == 2) {
        EXPECT_EQ(end.error().message, "barrier: rank 3 has not called it for 0 s");
      }
      ++given_up;
    }
    while (given_up < 3) std::this_thread::yield();
  });
}

}  // namespace
}  // namespace ringmaster::collectives
