// SPDX-License-Identifier: Apache-2.0
//
// Buckets whose tensors are no neighbours: what they come to, and where they are fused.
#include "collectives/tensors/fusion.h"

#include <gtest/gtest.h>

#include "collectives/shm/ranks_for_test.h"

namespace ringmaster::collectives {
namespace {

std::size_t seen(const Arena& arena, const void* memory, std::size_t bytes) {
  const Reach reach = arena.find(memory, bytes);
  return reach.end - reach.begin;
}

TEST(FusionMemory, IsSharedAndKeptAsLongAsItIsLargeEnough) {
  const auto segment = Segment::create(1);
  ASSERT_TRUE(segment.ok());
  Arena arena(&*segment, 0);
  FusionMemory memory(&arena);
  std::byte* first = memory.room(5000);
  EXPECT_EQ(seen(arena, first, 5000), 5000U);
  EXPECT_EQ(memory.room(100), first);
  std::byte* larger = memory.room(70'000);
  EXPECT_EQ(seen(arena, larger, 70'000), 70'000U);
  EXPECT_EQ(memory.room(5000), larger);
}

TEST(FusionMemory, IsOrdinaryWhereTheArenaHasNone) {
  const auto segment = Segment::create(1, 1 << 20);
  ASSERT_TRUE(segment.ok());
  Arena arena(&*segment, 0);
  FusionMemory memory(&arena), without(nullptr);
  constexpr std::size_t kTooMuch = 8 << 20;
  for (FusionMemory* one : {&memory, &without}) {
    std::byte* room = one->room(kTooMuch);
    ASSERT_NE(room, nullptr);
    EXPECT_EQ(seen(arena, room, kTooMuch), 0U);
    room[kTooMuch - 1] = std::byte{1};
    EXPECT_EQ(one->room(kTooMuch), room);
  }
}

TEST(Fusion, ReducesScatteredPiecesInMemoryThatAllSee) {
  constexpr int kRanks = 3;
  const auto segment = Segment::create(kRanks);
  ASSERT_TRUE(segment.ok());
  run_shm_ranks(*segment, kRanks, 1, [](ShmCommunicator& ring, Arena& arena) {
    FusionMemory memory(&arena);
    Fusion fusion(memory);
    for (const std::size_t count : {std::size_t{7}, std::size_t{40'000}}) {
      std::vector<std::vector<float>> tensors;
      std::vector<Piece> pieces;
      for (int i = 0; i < 4; ++i) {
        tensors.emplace_back(count, static_cast<float>(ring.position() + i));
      }
      for (auto& tensor : tensors) {
        auto* data = reinterpret_cast<std::byte*>(tensor.data());
        pieces.push_back({data, data, count * sizeof(float)});
      }
      const auto times = fusion.reduce(ring, pieces, RINGMASTER_FLOAT32, RINGMASTER_SUM);
      ASSERT_TRUE(times.ok()) << times.error().message;
      EXPECT_TRUE(times->copied);
      for (std::size_t i = 0; i < tensors.size(); ++i) {
        EXPECT_EQ(tensors[i], std::vector<float>(count, static_cast<float>(3 + 3 * i)));
      }
    }
  });
}

}  // namespace
}  // namespace ringmaster::collectives
