// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/random.h"
#include "base/sanitized.h"
#include "collectives/shm/ranks_for_test.h"

namespace ringmaster::collectives {
namespace {

constexpr std::uint64_t kMailSeeds = kSanitized ? 4 : 15;  // many times slower

Transfer mail(std::vector<int>& data, int peer) {
  return {data.data(), data.size(), RINGMASTER_INT32, peer};
}

std::vector<int> letter(int from, int to, std::uint64_t seed, std::size_t count) {
  Random random(seed * 10'000 + static_cast<std::uint64_t>(from * 100 + to));
  std::vector<int> data(count);
  for (int& value : data) value = static_cast<int>(random.below(1 << 30));
  return data;
}

/// How many elements the n-th message of a pair has in a turn; none of them: no message.
std::vector<std::size_t> plan(int from, int to, std::uint64_t seed) {
  Random random(seed * 777 + static_cast<std::uint64_t>(from * 31 + to));
  std::vector<std::size_t> counts(random.below(3));
  constexpr std::size_t kMost[] = {2, 5000, 100'000};
  for (std::size_t& count : counts) count = random.below(kMost[random.below(3)]);
  return counts;
}

void exchange_randomly(ShmCommunicator& ring, std::uint64_t seed) {
  std::vector<std::vector<int>> out, in;
  out.reserve(100);
  in.reserve(100);
  std::vector<Transfer> sends, receives;
  std::vector<std::vector<int>> expected;
  for (int peer = 0; peer < ring.size(); ++peer) {
    std::uint64_t n = 0;
    for (const std::size_t count : plan(ring.position(), peer, seed)) {
      out.push_back(letter(ring.position(), peer, seed + 1000 * n++, count));
      sends.push_back(mail(out.back(), peer));
    }
    n = 0;
    for (const std::size_t count : plan(peer, ring.position(), seed)) {
      expected.push_back(letter(peer, ring.position(), seed + 1000 * n++, count));
      in.emplace_back(count);
      receives.push_back(mail(in.back(), peer));
    }
  }
  const auto end = ring.exchange(sends, receives);
  ASSERT_TRUE(end.ok()) << end.error().message;
  EXPECT_EQ(in, expected) << "seed " << seed;
}

class ShmExchange : public testing::TestWithParam<int> {};

TEST_P(ShmExchange, GroupsOfMessagesArriveAmongCollectives) {
  const int ranks = GetParam();
  auto segment = Segment::create(ranks);
  ASSERT_TRUE(segment.ok());
  for (std::int64_t generation = 1; generation <= 2; ++generation) {
    run_shm_ranks(*segment, ranks, generation, [&](ShmCommunicator& ring) {
      for (std::uint64_t seed = 0; seed < kMailSeeds && !testing::Test::HasFailure(); ++seed) {
        exchange_randomly(ring, seed);
        if (seed % 3 == 2) {
          ASSERT_TRUE(ring.barrier());
        }
      }
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, ShmExchange, testing::Values(1, 2, 3, 8));

TEST(ShmExchange, OnlyTheTwoTakePart) {
  auto segment = Segment::create(3);
  ASSERT_TRUE(segment.ok());
  run_shm_ranks(*segment, 3, 1, [&](ShmCommunicator& ring) {
    std::vector<int> data = {ring.position()};
    if (ring.position() == 0) {
      ASSERT_TRUE(ring.exchange({mail(data, 2)}, {}));
    } else if (ring.position() == 2) {
      ASSERT_TRUE(ring.exchange({}, {mail(data, 0)}));
      EXPECT_EQ(data[0], 0);
    }
    ASSERT_TRUE(ring.barrier());
  });
}

TEST(ShmExchange, OtherMessagesAreRefusedOnBothSides) {
  auto segment = Segment::create(2);
  ASSERT_TRUE(segment.ok());
  run_shm_ranks(*segment, 2, 1, [&](ShmCommunicator& ring) {
    std::vector<int> ten(10), nine(9);
    const auto end = ring.position() == 0 ? ring.exchange({mail(ten, 1)}, {})
                                          : ring.exchange({}, {mail(nine, 0)});
    ASSERT_FALSE(end.ok());
    EXPECT_EQ(end.error().code, Errc::mismatch);
    EXPECT_EQ(end.error().message,
              "rank 0 called exchange of 10 int32, rank 1 called exchange of 9 int32");
  });
}

TEST(ShmExchange, NobodyWaitsForEver) {
  auto segment = Segment::create(2);
  ASSERT_TRUE(segment.ok());
  run_shm_ranks(*segment, 2, 1, [&](ShmCommunicator& ring) {
    if (ring.position() == 1) return;
    ring.set_timeout(std::chrono::milliseconds(100));
    std::vector<int> data(100'000);
    const auto end = ring.exchange({mail(data, 1)}, {});
    EXPECT_EQ(end.error().code, Errc::timed_out);
    EXPECT_EQ(end.error().message, "exchange of 100000 int32: rank 1 has not called it for 0 s");
  });
  run_shm_ranks(*segment, 2, 2, [&](ShmCommunicator& ring) {
    if (ring.position() == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      return segment->abort(2);
    }
    std::vector<int> data(5);
    EXPECT_EQ(ring.exchange({}, {mail(data, 1)}).error().code, Errc::generation_changed);
  });
}

}  // namespace
}  // namespace ringmaster::collectives
