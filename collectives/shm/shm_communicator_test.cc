// SPDX-License-Identifier: Apache-2.0
#include "collectives/shm/shm_communicator.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>

#include "base/random.h"
#include "base/sanitized.h"
#include "collectives/shm/ranks_for_test.h"

namespace ringmaster::collectives {
namespace {

/// What rank `position` contributes: whole numbers, so that any order gives the same sum.
std::vector<float> contribution(int position, std::size_t count, std::uint64_t seed) {
  Random random(seed + static_cast<std::uint64_t>(position));
  std::vector<float> data(count);
  for (float& value : data) value = static_cast<float>(random.below(1000));
  return data;
}

class ShmRanks : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    auto made = Segment::create(GetParam());
    ASSERT_TRUE(made.ok());
    segment_.emplace(std::move(*made));
  }
  std::optional<Segment> segment_;
};

TEST_P(ShmRanks, AllReduceSumsEverySizeOnEveryRank) {
  const int ranks = GetParam();
  for (const std::size_t count : {0UL, 1UL, 7UL, 1024UL, 1025UL, 32768UL, 32769UL, 100003UL}) {
    std::vector<float> expected(count);
    for (int rank = 0; rank < ranks; ++rank) {
      const auto data = contribution(rank, count, count);
      for (std::size_t i = 0; i < count; ++i) expected[i] += data[i];
    }
    run_shm_ranks(*segment_, ranks, 1, [&](ShmCommunicator& ring) {
      auto data = contribution(ring.position(), count, count);
      std::vector<float> output(count);
      ASSERT_TRUE(
          ring.all_reduce(data.data(), output.data(), count, RINGMASTER_FLOAT32, RINGMASTER_SUM));
      EXPECT_EQ(output, expected);
      ASSERT_TRUE(
          ring.all_reduce(data.data(), data.data(), count, RINGMASTER_FLOAT32, RINGMASTER_SUM));
      EXPECT_EQ(data, expected);
    });
  }
}

TEST_P(ShmRanks, RealSumsHaveTheSameBitsEverywhere) {
  const int ranks = GetParam();
  std::vector<std::vector<double>> outputs(static_cast<std::size_t>(ranks));
  run_shm_ranks(*segment_, ranks, 1, [&](ShmCommunicator& ring) {
    Random random(static_cast<std::uint64_t>(ring.position()));
    std::vector<double> data(50001);
    for (double& value : data) value = random.unit() - 0.5;
    ASSERT_TRUE(ring.all_reduce(data.data(), data.data(), data.size(), RINGMASTER_FLOAT64,
                                RINGMASTER_AVERAGE));
    outputs[static_cast<std::size_t>(ring.position())] = data;
  });
  for (const auto& output : outputs) EXPECT_EQ(output, outputs[0]);
}

TEST_P(ShmRanks, MinAndMaxOfWholeNumbers) {
  const int ranks = GetParam();
  run_shm_ranks(*segment_, ranks, 1, [&](ShmCommunicator& ring) {
    std::vector<std::int64_t> data = {ring.position(), -ring.position()};
    std::vector<std::int64_t> low(2), high(2);
    ASSERT_TRUE(ring.all_reduce(data.data(), low.data(), 2, RINGMASTER_INT64, RINGMASTER_MIN));
    ASSERT_TRUE(ring.all_reduce(data.data(), high.data(), 2, RINGMASTER_INT64, RINGMASTER_MAX));
    EXPECT_EQ(low, (std::vector<std::int64_t>{0, 1 - ranks}));
    EXPECT_EQ(high, (std::vector<std::int64_t>{ranks - 1, 0}));
  });
}

TEST_P(ShmRanks, BroadcastAndAllGatherOfSeveralPieces) {
  const int ranks = GetParam();
  const std::size_t count = 70001;  // floats: three pieces
  run_shm_ranks(*segment_, ranks, 1, [&](ShmCommunicator& ring) {
    for (int root = 0; root < ranks; ++root) {
      auto data = contribution(ring.position(), count, 5);
      // Null: takes part and keeps nothing.
      void* target = ring.position() != root && ring.position() % 2 == 1 ? nullptr : data.data();
      ASSERT_TRUE(ring.broadcast(target, count, RINGMASTER_FLOAT32, root));
      EXPECT_EQ(data, contribution(target == nullptr ? ring.position() : root, count, 5));
    }
    const auto data = contribution(ring.position(), count, 6);
    std::vector<float> all(count * static_cast<std::size_t>(ranks));
    ASSERT_TRUE(ring.all_gather(data.data(), all.data(), count, RINGMASTER_FLOAT32));
    for (int peer = 0; peer < ranks; ++peer) {
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(count) * peer;
      EXPECT_EQ(std::vector<float>(begin, begin + static_cast<std::ptrdiff_t>(count)),
                contribution(peer, count, 6));
    }
  });
}

TEST_P(ShmRanks, ABarrierWaitsForEverybody) {
  const int ranks = GetParam();
  std::atomic<int> arrived{0};
  run_shm_ranks(*segment_, ranks, 1, [&](ShmCommunicator& ring) {
    for (int turn = 1; turn <= 200; ++turn) {
      ++arrived;
      ASSERT_TRUE(ring.barrier());
      EXPECT_LE(turn * ranks, arrived.load());
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Sizes, ShmRanks, testing::Values(1, 2, 3, 4, 8));

constexpr std::uint64_t kSequences = kSanitized ? 6 : 20;  // many times slower
constexpr std::uint64_t kLongestArray = kSanitized ? 30000 : 90000;
constexpr std::int64_t kAborts = kSanitized ? 24 : 60;

TEST(ShmCommunicator, RandomSequencesOfOperationsAgree) {
  for (std::uint64_t seed = 0; seed < kSequences; ++seed) {
    const int ranks = 2 + static_cast<int>(seed % 4);
    auto segment = Segment::create(ranks);
    ASSERT_TRUE(segment.ok());
    run_shm_ranks(*segment, ranks, 1, [&](ShmCommunicator& ring) {
      Random random(seed);  // the same on all ranks
      for (int turn = 0; turn < 60; ++turn) {
        const std::size_t count = random.below(random.below(2) == 0 ? 2000 : kLongestArray);
        const auto root = static_cast<int>(random.below(static_cast<std::uint64_t>(ranks)));
        auto data = contribution(ring.position(), count, seed + static_cast<std::uint64_t>(turn));
        if (random.below(2) == 0) {
          ASSERT_TRUE(ring.broadcast(data.data(), count, RINGMASTER_FLOAT32, root));
          EXPECT_EQ(data, contribution(root, count, seed + static_cast<std::uint64_t>(turn)));
        } else {
          ASSERT_TRUE(
              ring.all_reduce(data.data(), data.data(), count, RINGMASTER_FLOAT32, RINGMASTER_MAX));
          for (int peer = 0; peer < ranks && count > 0; ++peer) {
            EXPECT_LE(contribution(peer, count, seed + static_cast<std::uint64_t>(turn))[count / 2],
                      data[count / 2]);
          }
        }
      }
    });
  }
}

TEST(ShmCommunicator, AMismatchNamesBothCallsOnAllRanks) {
  auto segment = Segment::create(3);
  ASSERT_TRUE(segment.ok());
  run_shm_ranks(*segment, 3, 1, [&](ShmCommunicator& ring) {
    std::vector<float> data(10);
    auto result = ring.position() == 2 ? ring.barrier()
                                       : ring.all_reduce(data.data(), data.data(), data.size(),
                                                         RINGMASTER_FLOAT32, RINGMASTER_SUM);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, Errc::mismatch);
    EXPECT_EQ(result.error().message,
              "rank 0 called all_reduce of 10 float32 (sum), rank 2 called barrier");
    EXPECT_FALSE(ring.barrier().ok());  // nothing is in step after that
  });
}

TEST(ShmCommunicator, AnAbortEndsEveryWait) {
  auto segment = Segment::create(4);
  ASSERT_TRUE(segment.ok());
  std::atomic<int> waiting{0};
  std::thread aborter([&] {
    while (waiting < 3) std::this_thread::yield();
    segment->abort(7);
  });
  run_shm_ranks(*segment, 4, 7, [&](ShmCommunicator& ring) {
    if (ring.position() == 3) return;  // the lost one
    ++waiting;
    auto result = ring.barrier();
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, Errc::generation_changed);
    EXPECT_EQ(ring.barrier().error().code, Errc::generation_changed);
  });
  aborter.join();
  run_shm_ranks(*segment, 4, 8, [](ShmCommunicator& ring) { EXPECT_TRUE(ring.barrier().ok()); });
}

TEST(ShmCommunicator, SurvivesAbortsAtRandomMoments) {
  auto segment = Segment::create(4);
  ASSERT_TRUE(segment.ok());
  for (std::int64_t generation = 1; generation <= kAborts; ++generation) {
    std::atomic<std::int64_t> operations{0};
    std::thread aborter([&] {
      while (operations < generation * 3) std::this_thread::yield();
      segment->abort(generation);
    });
    run_shm_ranks(*segment, 4, generation, [&](ShmCommunicator& ring) {
      for (;;) {
        std::vector<std::int32_t> data(generation % 2 == 0 ? 40000 : 100, 1);
        auto result = ring.all_reduce(data.data(), data.data(), data.size(), RINGMASTER_INT32,
                                      RINGMASTER_SUM);
        ++operations;
        if (!result) {
          EXPECT_EQ(result.error().code, Errc::generation_changed);
          return;
        }
        EXPECT_EQ(data.front(), 4);
        EXPECT_EQ(data.back(), 4);
      }
    });
    aborter.join();
  }
}

TEST(ShmCommunicator, SaysWhoIsLate) {
  auto segment = Segment::create(2);
  ASSERT_TRUE(segment.ok());
  ShmCommunicator ring(*segment, {1, {0, 1}, 0, 2});
  ring.set_timeout(std::chrono::milliseconds(60));
  auto result = ring.barrier();
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, Errc::timed_out);
  EXPECT_EQ(result.error().message, "barrier: rank 1 has not called it for 0 s");
}

TEST(Segment, AttachesToItselfAndRefusesOthers) {
  auto made = Segment::create(3);
  ASSERT_TRUE(made.ok());
  auto other = Segment::attach(made->fd());
  ASSERT_TRUE(other.ok());
  made->slot(2).steps.store(42);
  EXPECT_EQ(other->slot(2).steps.load(), 42);
  EXPECT_EQ(other->capacity(), 3);
  EXPECT_EQ(Segment::attach(9999).error().code, Errc::io);
}

}  // namespace
}  // namespace ringmaster::collectives
