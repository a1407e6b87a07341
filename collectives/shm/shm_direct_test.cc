// SPDX-License-Identifier: Apache-2.0
//
// Operations on memory that others see: allocated, adopted at any place, on all ranks or on some.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>

#include "base/random.h"
#include "base/sanitized.h"
#include "collectives/shm/ranks_for_test.h"

namespace ringmaster::collectives {
namespace {

constexpr std::uint64_t kDirectSeeds = kSanitized ? 1 : 4;  // many times slower
constexpr int kDirectTurns = kSanitized ? 8 : 12;
constexpr int kRanksOfLarge = kSanitized ? 3 : 8;

/// An array of floats in memory of one kind, `shift` elements behind where that begins.
class SharedArray {
 public:
  enum class Kind { ordinary, allocated, adopted };
  SharedArray(Arena& arena, Kind kind, std::size_t count, std::size_t shift)
      : arena_(arena), kind_(kind) {
    const std::size_t bytes = (count + shift) * sizeof(float);
    if (kind == Kind::allocated) {
      const auto memory = arena.allocate(bytes);
      EXPECT_TRUE(memory.ok());
      base_ = static_cast<float*>(*memory);
    } else {
      base_ = static_cast<float*>(std::malloc(bytes + 64));
      std::memset(base_, 0, bytes);
      EXPECT_TRUE(kind == Kind::ordinary || arena.adopt(base_, bytes).ok());
    }
    data = base_ + shift;
  }
  ~SharedArray() {
    if (kind_ == Kind::allocated) {
      EXPECT_TRUE(arena_.free(base_).ok());
      return;
    }
    EXPECT_TRUE(kind_ == Kind::ordinary || arena_.release(base_).ok());
    std::free(base_);
  }
  SharedArray(const SharedArray&) = delete;
  SharedArray& operator=(const SharedArray&) = delete;

  float* data;

 private:
  Arena& arena_;
  Kind kind_;
  float* base_;
};

SharedArray::Kind draw_kind(Random& random, bool all_shared) {
  if (all_shared)
    return random.chance(0.5) ? SharedArray::Kind::allocated : SharedArray::Kind::adopted;
  return static_cast<SharedArray::Kind>(random.below(3));
}

float value_of(int position, std::size_t i) {
  return static_cast<float>((static_cast<std::size_t>(position) * 31 + i * 7) % 1000);
}

/// One rank's part of a sequence that follows from the seed.
void reduce_randomly(ShmCommunicator& ring, Arena& arena, std::uint64_t seed) {
  Random common(seed), own(seed * 100 + static_cast<std::uint64_t>(ring.position()));
  for (int turn = 0; turn < 8; ++turn) {
    constexpr std::size_t kMost[] = {600, 5000, 60000, 200000};
    const std::size_t count = 1 + common.below(kMost[common.below(4)]);
    const bool all_shared = common.chance(0.7);
    SharedArray input(arena, draw_kind(own, all_shared), count, own.below(40));
    SharedArray output(arena, draw_kind(own, all_shared), count, own.below(40));
    float* target = own.chance(0.3) ? input.data : output.data;
    for (std::size_t i = 0; i < count; ++i) input.data[i] = value_of(ring.position(), i);
    ASSERT_TRUE(
        ring.all_reduce(input.data, target, count, RINGMASTER_FLOAT32, RINGMASTER_SUM).ok());
    for (std::size_t i = 0; i < count; ++i) {
      float expected = 0;
      for (int peer = 0; peer < ring.size(); ++peer) expected += value_of(peer, i);
      ASSERT_EQ(target[i], expected) << "seed " << seed << " turn " << turn << " element " << i;
    }
    // The input is this rank's again: nobody reads it any more.
    std::fill(input.data, input.data + count, -1.0F);
  }
}

class ShmDirect : public testing::TestWithParam<int> {};

TEST_P(ShmDirect, EveryKindOfMemoryGivesTheSameSums) {
  const int ranks = GetParam();
  for (std::uint64_t seed = 0; seed < kDirectSeeds; ++seed) {
    auto segment = Segment::create(ranks);
    ASSERT_TRUE(segment.ok());
    run_shm_ranks(*segment, ranks, 1,
                  [&](ShmCommunicator& ring, Arena& arena) { reduce_randomly(ring, arena, seed); });
  }
}

/// What an operation gets of a rank: `turn` tells the calls apart.
void fill_with(float* data, std::size_t count, int position, int turn) {
  for (std::size_t i = 0; i < count; ++i) data[i] = value_of(position + turn, i);
}

void expect_values(const float* data, std::size_t count, int position, int turn, std::size_t from) {
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(data[i], value_of(position + turn, from + i)) << "element " << i;
  }
}

/// The memory of one call of one rank.
struct SharedPair {
  SharedPair(Arena& arena, Random& random, bool all_shared, std::size_t in, std::size_t out)
      : input(arena, draw_kind(random, all_shared), in, random.below(40)),
        output(arena, draw_kind(random, all_shared), out, random.below(40)),
        in_count(in) {}
  /// The input is this rank's again: nobody reads it any more.
  void spoil() { std::fill(input.data, input.data + in_count, -1.0F); }
  SharedArray input, output;
  std::size_t in_count;
};

void broadcast_once(ShmCommunicator& ring, SharedPair& memory, std::size_t count, int turn) {
  const int root = turn % ring.size();
  fill_with(memory.input.data, count, ring.position(), turn);
  ASSERT_TRUE(ring.broadcast(memory.input.data, count, RINGMASTER_FLOAT32, root).ok());
  expect_values(memory.input.data, count, root, turn, 0);
}

void gather_once(ShmCommunicator& ring, SharedPair& memory, const Counts& counts, int turn,
                 bool in_place) {
  const std::size_t own = counts[static_cast<std::size_t>(ring.position())];
  float* block = memory.output.data + before(counts, ring.position());
  float* input = in_place ? block : memory.input.data;
  fill_with(input, own, ring.position(), turn);
  ASSERT_TRUE(ring.all_gather(input, memory.output.data, counts, RINGMASTER_FLOAT32).ok());
  if (in_place) fill_with(memory.input.data, own, ring.position(), turn);
  for (int peer = 0; peer < ring.size(); ++peer) {
    expect_values(memory.output.data + before(counts, peer), counts[static_cast<std::size_t>(peer)],
                  peer, turn, 0);
  }
}

void scatter_once(ShmCommunicator& ring, SharedPair& memory, const Counts& counts, int turn,
                  bool in_place) {
  const std::size_t begin = before(counts, ring.position());
  float* output = in_place ? memory.input.data + begin : memory.output.data;
  fill_with(memory.input.data, total(counts), ring.position(), turn);
  ASSERT_TRUE(
      ring.reduce_scatter(memory.input.data, output, counts, RINGMASTER_FLOAT32, RINGMASTER_SUM)
          .ok());
  for (std::size_t i = 0; i < counts[static_cast<std::size_t>(ring.position())]; ++i) {
    float expected = 0;
    for (int peer = 0; peer < ring.size(); ++peer) expected += value_of(peer + turn, begin + i);
    ASSERT_EQ(output[i], expected) << "element " << i;
  }
}

void swap_once(ShmCommunicator& ring, SharedPair& memory, const Counts& counts, int turn) {
  // Everybody gives each the same count, so that a rank takes what its own count says from all.
  const auto own = counts[static_cast<std::size_t>(ring.position())];
  const Counts& give = counts;
  const Counts take(counts.size(), own);
  fill_with(memory.input.data, total(give), ring.position(), turn);
  ASSERT_TRUE(
      ring.all_to_all(memory.input.data, give, memory.output.data, take, RINGMASTER_FLOAT32).ok());
  const std::size_t begin = before(give, ring.position());
  for (int peer = 0; peer < ring.size(); ++peer) {
    expect_values(memory.output.data + before(take, peer), own, peer, turn, begin);
  }
}

/// Of the largest block of a reduce-scatter that reads shared memory where it is.
constexpr std::size_t kShownFloats = 1024 * 1024 / sizeof(float);

/// One rank's part of a sequence of the operations that follows from the seed.
void pass_randomly(ShmCommunicator& ring, Arena& arena, std::uint64_t seed) {
  Random common(seed), own(seed * 100 + static_cast<std::uint64_t>(ring.position()));
  for (int turn = 0; turn < kDirectTurns; ++turn) {
    SCOPED_TRACE("seed " + std::to_string(seed) + " turn " + std::to_string(turn));
    constexpr std::size_t kMost[] = {600, 30000, 80000};
    const std::size_t most = kMost[common.below(3)];
    Counts counts;
    for (int peer = 0; peer < ring.size(); ++peer) {
      counts.push_back(common.chance(0.2) ? 0 : 1 + common.below(most));
    }
    if (turn % 4 == 2 && ring.size() <= kRanksOfLarge &&
        common.chance(0.7)) {  // large enough to be read where it is
      counts[common.below(counts.size())] = kShownFloats + common.below(3000);
    }
    const bool all_shared = common.chance(0.6), in_place = own.chance(0.3);
    const std::size_t wide = common.chance(0.5) ? 600'000 : total(counts);  // of a broadcast
    const std::size_t from_all = counts[static_cast<std::size_t>(ring.position())] * counts.size();
    const std::size_t room = std::max(turn % 4 == 0 ? wide : total(counts), from_all);
    SharedPair memory(arena, own, all_shared, room + 1, room + 1);
    switch (turn % 4) {
      case 0:
        broadcast_once(ring, memory, wide, turn);
        break;
      case 1:
        gather_once(ring, memory, counts, turn, in_place);
        break;
      case 2:
        scatter_once(ring, memory, counts, turn, in_place);
        break;
      case 3:
        swap_once(ring, memory, counts, turn);
        break;
    }
    memory.spoil();
  }
}

TEST_P(ShmDirect, EveryOperationTakesEveryKindOfMemory) {
  const int ranks = GetParam();
  for (std::uint64_t seed = 0; seed < kDirectSeeds; ++seed) {
    auto segment = Segment::create(ranks);
    ASSERT_TRUE(segment.ok());
    run_shm_ranks(*segment, ranks, 1,
                  [&](ShmCommunicator& ring, Arena& arena) { pass_randomly(ring, arena, seed); });
  }
}

TEST_P(ShmDirect, RealSumsHaveTheBitsOfOrdinaryMemory) {
  const int ranks = GetParam();
  auto segment = Segment::create(ranks);
  ASSERT_TRUE(segment.ok());
  run_shm_ranks(*segment, ranks, 1, [&](ShmCommunicator& ring, Arena& arena) {
    constexpr std::size_t kCount = 50'001;
    Random random(static_cast<std::uint64_t>(ring.position()));
    std::vector<float> input(kCount), expected(kCount);
    for (float& value : input) value = static_cast<float>(random.unit() - 0.5);
    ASSERT_TRUE(
        ring.all_reduce(input.data(), expected.data(), kCount, RINGMASTER_FLOAT32, RINGMASTER_SUM));
    SharedArray shared(arena, SharedArray::Kind::allocated, kCount, 3);
    std::copy(input.begin(), input.end(), shared.data);
    ASSERT_TRUE(
        ring.all_reduce(shared.data, shared.data, kCount, RINGMASTER_FLOAT32, RINGMASTER_SUM));
    EXPECT_EQ(std::memcmp(shared.data, expected.data(), kCount * sizeof(float)), 0);
  });
}

INSTANTIATE_TEST_SUITE_P(Sizes, ShmDirect, testing::Values(2, 3, 8));

TEST(ShmDirect, AnAbortEndsIt) {
  auto segment = Segment::create(2);
  ASSERT_TRUE(segment.ok());
  Segment& job = *segment;
  run_shm_ranks(job, 2, 5, [&](ShmCommunicator& ring, Arena& arena) {
    SharedArray shared(arena, SharedArray::Kind::allocated, 1'000'000, 0);
    if (ring.position() == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      return job.abort(5);
    }
    const auto ended =
        ring.all_reduce(shared.data, shared.data, 1'000'000, RINGMASTER_FLOAT32, RINGMASTER_SUM);
    EXPECT_EQ(ended.error().code, Errc::generation_changed);
  });
}

/// What rank 0 hears when rank 1, which is in the same generation, ends it.
Error end_of_aborted(const std::function<Result<void>(ShmCommunicator&, float*)>& operation) {
  auto segment = Segment::create(2);
  CHECK(segment.ok());
  Segment& job = *segment;
  Error heard{Errc::invalid, ""};
  run_shm_ranks(job, 2, 5, [&](ShmCommunicator& ring, Arena& arena) {
    SharedArray shared(arena, SharedArray::Kind::allocated, 1'000'000, 0);
    if (ring.position() == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      return job.abort(5);
    }
    const auto ended = operation(ring, shared.data);
    if (!ended) heard = ended.error();
  });
  return heard;
}

TEST(ShmDirect, AnAbortEndsTheOtherOperationsToo) {
  const auto broadcast = [](ShmCommunicator& ring, float* data) {
    return ring.broadcast(data, 1'000'000, RINGMASTER_FLOAT32, 0);
  };
  const auto gather = [](ShmCommunicator& ring, float* data) {
    return ring.all_gather(data, data, {500'000, 500'000}, RINGMASTER_FLOAT32);
  };
  const auto scatter = [](ShmCommunicator& ring, float* data) {
    return ring.reduce_scatter(data, data, {500'000, 500'000}, RINGMASTER_FLOAT32, RINGMASTER_SUM);
  };
  EXPECT_EQ(end_of_aborted(broadcast).code, Errc::generation_changed);
  EXPECT_EQ(end_of_aborted(gather).code, Errc::generation_changed);
  const auto swap = [](ShmCommunicator& ring, float* data) {
    const Counts even(2, 250'000);
    return ring.all_to_all(data, even, data + 500'000, even, RINGMASTER_FLOAT32);
  };
  EXPECT_EQ(end_of_aborted(scatter).code, Errc::generation_changed);
  EXPECT_EQ(end_of_aborted(swap).code, Errc::generation_changed);
}

}  // namespace
}  // namespace ringmaster::collectives
