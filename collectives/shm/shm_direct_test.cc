// SPDX-License-Identifier: Apache-2.0
//
// All-reduces of memory that others see: allocated, adopted at any place, on all ranks or on some.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>

#include "base/random.h"
#include "collectives/shm/ranks_for_test.h"

namespace ringmaster::collectives {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kDirectSeeds = 1;  // many times slower
#else
constexpr std::uint64_t kDirectSeeds = 6;
#endif

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

}  // namespace
}  // namespace ringmaster::collectives
