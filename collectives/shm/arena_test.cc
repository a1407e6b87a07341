// SPDX-License-Identifier: Apache-2.0
#include "collectives/shm/arena.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/random.h"
#include "collectives/shm/huge_pages.h"

namespace ringmaster::collectives {
namespace {

constexpr std::size_t kMiB = 1024 * 1024;

/// Bytes of memory that the segment's file takes.
std::uint64_t taken(const Segment& segment) {
  struct stat status {};
  EXPECT_EQ(fstat(segment.fd(), &status), 0);
  return static_cast<std::uint64_t>(status.st_blocks) * 512;
}

TEST(Arena, WhatOneRankAllocatesAnotherSees) {
  const auto segment = Segment::create(3);
  ASSERT_TRUE(segment.ok());
  Arena first(&*segment, 0), second(&*segment, 2);
  for (const std::size_t bytes : {1UL, 4096UL, 3 * kMiB, 70 * kMiB}) {
    const auto memory = second.allocate(bytes);
    ASSERT_TRUE(memory.ok());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(*memory) % 64, 0U);
    auto* last = static_cast<std::byte*>(*memory) + bytes - 1;
    EXPECT_EQ(*last, std::byte{0});
    *last = std::byte{42};
    const Reach reach = second.find(*memory, bytes);
    EXPECT_EQ(reach.begin, 0U);
    EXPECT_EQ(reach.end, bytes);
    const auto seen = first.reach(2, reach.base + bytes);
    ASSERT_TRUE(seen.ok());
    EXPECT_EQ((*seen)[reach.base + bytes - 1], std::byte{42});
  }
}

TEST(Arena, MemoryThatIsFreedIsGivenBack) {
  const auto segment = Segment::create(2);
  ASSERT_TRUE(segment.ok());
  const std::uint64_t before = taken(*segment);
  {
    Arena arena(&*segment, 1);
    const auto freed = arena.allocate(8 * kMiB);
    const auto kept = arena.allocate(8 * kMiB);
    ASSERT_TRUE(freed.ok() && kept.ok());
    EXPECT_GE(taken(*segment), before + 16 * kMiB);
    ASSERT_TRUE(arena.free(*freed).ok());
    EXPECT_LT(taken(*segment), before + 9 * kMiB);
    EXPECT_EQ(arena.free(*freed).error().code, Errc::not_found);
    EXPECT_TRUE(arena.free(nullptr).ok());
  }
  EXPECT_EQ(taken(*segment), before);
}

TEST(Arena, WhatALostRankLeftIsGivenBackInParts) {
  const auto segment = Segment::create(2);
  ASSERT_TRUE(segment.ok());
  const std::uint64_t before = taken(*segment);
  // A process that is killed frees nothing: this arena is destroyed only after the look.
  Arena lost(&*segment, 1);
  ASSERT_TRUE(lost.allocate(150 * kMiB).ok());
  int parts = 0;
  while (segment->clear_arena_part(1)) ++parts;
  EXPECT_GE(parts, 2);
  EXPECT_EQ(taken(*segment), before);
}

TEST(Arena, MoreThanThereIsIsAnError) {
  const auto segment = Segment::create(1, 4 * kMiB);
  ASSERT_TRUE(segment.ok());
  Arena arena(&*segment, 0);
  EXPECT_EQ(arena.allocate(5 * kMiB).error().code, Errc::exhausted);
  EXPECT_EQ(arena.allocate(SIZE_MAX).error().code, Errc::exhausted);
  EXPECT_TRUE(arena.allocate(3 * kMiB).ok());
  EXPECT_EQ(arena.allocate(3 * kMiB).error().code, Errc::exhausted);
  EXPECT_EQ(arena.reach(0, 5 * kMiB).error().code, Errc::corrupt);
}

TEST(Arena, ABufferIsAdoptedInPlaceAndReleasedWithWhatItHolds) {
  const auto segment = Segment::create(2);
  ASSERT_TRUE(segment.ok());
  Arena owner(&*segment, 0), peer(&*segment, 1);
  std::vector<int> buffer(300'000);
  for (std::size_t i = 0; i < buffer.size(); ++i) buffer[i] = static_cast<int>(i);
  const auto expected = buffer;
  const std::size_t bytes = buffer.size() * sizeof(int);
  ASSERT_TRUE(owner.adopt(buffer.data(), bytes).ok());
  EXPECT_EQ(buffer, expected);
  EXPECT_EQ(owner.adopt(buffer.data() + 2048, 8192).error().code, Errc::invalid);
  const Reach reach = owner.find(buffer.data(), bytes);
  EXPECT_LT(reach.begin, 4096U);
  EXPECT_GT(reach.end, bytes - 4096);
  const auto seen = peer.reach(0, reach.base + reach.end);
  ASSERT_TRUE(seen.ok());
  const std::size_t at = (reach.begin + 4095) / 4096 * 4096;
  auto* theirs = *seen + (reach.base + at);
  EXPECT_EQ(std::memcmp(theirs, reinterpret_cast<std::byte*>(buffer.data()) + at, 4096), 0);
  std::memset(theirs, 7, 4);
  ASSERT_TRUE(owner.release(buffer.data()).ok());
  EXPECT_EQ(buffer[at / sizeof(int)], 0x07070707);
  EXPECT_EQ(buffer.back(), expected.back());
  EXPECT_EQ(owner.release(buffer.data()).error().code, Errc::not_found);
  const Reach gone = owner.find(buffer.data(), bytes);
  EXPECT_EQ(gone.begin, gone.end);
}

TEST(Arena, ABufferWithoutAWholePageStaysAsItIs) {
  const auto segment = Segment::create(1);
  ASSERT_TRUE(segment.ok());
  Arena arena(&*segment, 0);
  alignas(64) char buffer[100] = "as it is";
  ASSERT_TRUE(arena.adopt(buffer, sizeof buffer).ok());
  EXPECT_STREQ(buffer, "as it is");
  EXPECT_TRUE(arena.release(buffer).ok());
}

TEST(Arena, WithoutASegmentTheMemoryIsPlain) {
  Arena arena(nullptr, 0);
  const auto memory = arena.allocate(5000);
  ASSERT_TRUE(memory.ok());
  std::memset(*memory, 1, 5000);
  const Reach reach = arena.find(*memory, 5000);
  EXPECT_EQ(reach.begin, reach.end);
  EXPECT_TRUE(arena.free(*memory).ok());
}

TEST(Arena, RandomAllocationsNeverOverlap) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const auto segment = Segment::create(1, 64 * kMiB);
    ASSERT_TRUE(segment.ok());
    Arena arena(&*segment, 0);
    Random random(seed);
    std::vector<std::pair<unsigned char*, std::size_t>> blocks;
    for (int turn = 0; turn < 200; ++turn) {
      if (!blocks.empty() && random.chance(0.5)) {
        const std::size_t which = random.below(blocks.size());
        const auto [memory, bytes] = blocks[which];
        for (std::size_t i = 0; i < bytes; i += 997) ASSERT_EQ(memory[i], bytes % 251) << seed;
        ASSERT_TRUE(arena.free(memory).ok());
        blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(which));
        continue;
      }
      const std::size_t bytes = 1 + random.below(200'000);
      const auto memory = arena.allocate(bytes);
      ASSERT_TRUE(memory.ok());
      std::memset(*memory, static_cast<int>(bytes % 251), bytes);
      blocks.emplace_back(static_cast<unsigned char*>(*memory), bytes);
    }
  }
}

TEST(Arena, LargeMemoryCanBeInHugePages) {
  auto segment = Segment::create(1);
  ASSERT_TRUE(segment.ok());
  Arena arena(&*segment, 0);
  constexpr std::size_t kBytes = 3 * kHugePage;
  std::vector<std::byte> plain(kBytes + 12345);
  const auto small = arena.allocate(100);
  const auto large = arena.allocate(kBytes - 1);
  ASSERT_TRUE(small.ok() && large.ok() && arena.adopt(plain.data(), plain.size()).ok());
  const auto is_aligned = [&](const void* data, std::size_t bytes) {
    const Reach reach = arena.find(data, bytes);
    return (reach.base - reinterpret_cast<std::uintptr_t>(data)) % kHugePage == 0;
  };
  EXPECT_TRUE(is_aligned(*large, kBytes - 1));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(*large) % kHugePage, 0U);
  EXPECT_TRUE(is_aligned(plain.data(), plain.size()));
  EXPECT_TRUE(arena.free(*large).ok() && arena.release(plain.data()).ok());
}

// Gaps are used again, and no two blocks share a byte, whatever their sizes and places.
TEST(Arena, BlocksNeverOverlap) {
  auto segment = Segment::create(1, std::size_t{1} << 32);
  ASSERT_TRUE(segment.ok());
  Arena arena(&*segment, 0);
  Random random(3);
  std::vector<std::pair<void*, std::size_t>> held;
  for (int turn = 0; turn < 200; ++turn) {
    if (held.size() > 6) {
      const auto at = static_cast<std::ptrdiff_t>(random.below(held.size()));
      ASSERT_TRUE(arena.free(held[static_cast<std::size_t>(at)].first).ok());
      held.erase(held.begin() + at);
    }
    const std::size_t bytes = 1 + random.below(random.chance(0.3) ? 3'000'000 : 20'000);
    const auto memory = arena.allocate(bytes);
    ASSERT_TRUE(memory.ok());
    const Reach made = arena.find(*memory, bytes);
    for (const auto& [other, size] : held) {
      const std::uint64_t base = arena.find(other, size).base;
      EXPECT_TRUE(base + size <= made.base || made.base + bytes <= base) << "turn " << turn;
    }
    held.emplace_back(*memory, bytes);
  }
}

}  // namespace
}  // namespace ringmaster::collectives
