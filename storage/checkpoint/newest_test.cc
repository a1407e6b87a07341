// SPDX-License-Identifier: Apache-2.0
#include "storage/checkpoint/newest.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "storage/checkpoint/small_job.h"

namespace ringmaster::storage {
namespace {

CheckpointName name_of(const Result<Newest>& found) {
  if (!found) return {-1, -1};
  return found->manifest ? found->manifest->name : CheckpointName{};
}

/// Three checkpoints of one term.
struct Three {
  MemoryStore store;
  Term term = *open_term(store, kJob);
  Three() {
    for (const std::int64_t step : {10, 20, 30}) CHECK(save(store, term, step).ok());
  }
  MemoryStore::Objects& objects() { return *store.objects(); }
};

TEST(Newest, OfNothingIsNothing) {
  MemoryStore store;
  const auto found = newest(store, kJob);
  ASSERT_TRUE(found.ok());
  EXPECT_FALSE(found->manifest);
  EXPECT_EQ(newest(store, "../x").error().code, Errc::invalid);
}

TEST(Newest, IsTheLastCommit) {
  Three three;
  const auto found = newest(three.store, kJob);
  EXPECT_EQ(name_of(found), (CheckpointName{1, 30}));
  EXPECT_TRUE(found->skipped.empty());
  EXPECT_TRUE(loads(three.store, *found->manifest));
}

TEST(Newest, AnyFlippedBitInAnyObjectOfTheLastLeadsOneBackAndIsSaid) {
  Three three;
  const MemoryStore::Objects good = three.objects();
  int flips = 0;
  for (const auto& [key, bytes] : good) {
    if (key.find("000000000030") == std::string::npos) continue;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      three.objects() = good;
      three.objects()[key][i] = static_cast<char>(bytes[i] ^ (1 << (i % 8)));
      const auto found = newest(three.store, kJob);
      ASSERT_EQ(name_of(found), (CheckpointName{1, 20})) << key << " byte " << i;
      ASSERT_EQ(found->skipped.size(), 1U);
      EXPECT_EQ(found->skipped[0].key, key);
      ++flips;
    }
  }
  std::printf("%d flipped bytes\n", flips);
}

TEST(Newest, AnyTornOrMissingObjectLeadsOneBack) {
  Three three;
  const MemoryStore::Objects good = three.objects();
  for (const auto& [key, bytes] : good) {
    if (key.find("000000000030") == std::string::npos) continue;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      three.objects() = good;
      three.objects()[key].resize(i);
      ASSERT_EQ(name_of(newest(three.store, kJob)), (CheckpointName{1, 20})) << key << " " << i;
    }
    // A longer one is another one.
    three.objects()[key] = bytes + "x";
    EXPECT_EQ(name_of(newest(three.store, kJob)), (CheckpointName{1, 20}));
  }
  three.objects() = good;
  std::erase_if(three.objects(), [](const auto& object) {
    return object.first.find("/shards/") != std::string::npos &&
           object.first.find("000000000010") == std::string::npos;
  });
  const auto found = newest(three.store, kJob);
  EXPECT_EQ(name_of(found), (CheckpointName{1, 10}));
  EXPECT_EQ(found->skipped.size(), 2U);
  EXPECT_NE(found->skipped[0].why.find("not there"), std::string::npos);
}

TEST(Newest, BySizesDoesNotReadTheBytes) {
  Three three;
  for (auto& [key, bytes] : three.objects()) {
    if (key.find("00001-of-00002") != std::string::npos) bytes.back() ^= 1;
  }
  EXPECT_EQ(name_of(newest(three.store, kJob, Depth::sizes)), (CheckpointName{1, 30}));
  const auto found = newest(three.store, kJob);
  EXPECT_EQ(name_of(found), CheckpointName{});
  EXPECT_EQ(found->skipped.size(), 3U);
}

TEST(Newest, AnErrorThatMayPassIsNoDamage) {
  Three three;
  const std::int64_t before = three.store.calls();
  ASSERT_TRUE(newest(three.store, kJob).ok());
  const std::int64_t calls = three.store.calls() - before;
  for (std::int64_t call = 0; call < calls; ++call) {
    MemoryStore reader(three.store.objects());
    reader.set_fault({call, FaultKind::before, false});
    const auto found = newest(reader, kJob);
    ASSERT_FALSE(found.ok()) << call;
    EXPECT_EQ(found.error().code, Errc::io);
  }
}

TEST(Newest, AManifestOfAnotherPlaceIsDamage) {
  Three three;
  auto& objects = three.objects();
  objects[manifest_key(kJob, {1, 40})] = objects[manifest_key(kJob, {1, 30})];
  const auto found = newest(three.store, kJob);
  EXPECT_EQ(name_of(found), (CheckpointName{1, 30}));
  EXPECT_EQ(found->skipped.size(), 1U);
}

TEST(Newest, AShardWhoseHeaderSaysSomethingElseIsDamage) {
  Three three;
  MemoryStore other(three.store.objects());
  const Tensor tensor{"w", Dtype::u8, {4}};
  const auto shard = write_shard(other, kJob, {{1, 40}, 0, 1}, {{tensor, whole({4}), "1234"}});
  Manifest manifest = *assemble(kJob, {1, 40}, 1, {tensor}, {*shard});
  manifest.tensors[0].chunks[0].begin -= 8;
  ASSERT_TRUE(commit(other, three.term, manifest).ok());
  const auto found = newest(three.store, kJob);
  EXPECT_EQ(name_of(found), (CheckpointName{1, 30}));
  ASSERT_EQ(found->skipped.size(), 1U);
  EXPECT_NE(found->skipped[0].why.find("not where the manifest says"), std::string::npos);
}

/// Removes the two newest checkpoints while a search is under way, and commits a newer one.
class Collecting : public MemoryStore {
 public:
  Collecting(const std::shared_ptr<Objects>& objects, const Term& term)
      : MemoryStore(objects), term_(term) {}
  Result<std::string> read(const std::string& key, std::uint64_t offset,
                           std::uint64_t bytes) override {
    if (key == manifest_key(kJob, {1, 30})) {
      MemoryStore other(objects());
      if (!objects()->contains(manifest_key(kJob, {1, 40}))) CHECK(save(other, term_, 40).ok());
      objects()->erase(key);
      objects()->erase(manifest_key(kJob, {1, 20}));
    }
    return MemoryStore::read(key, offset, bytes);
  }

 private:
  const Term& term_;
};

TEST(Newest, WhatIsCollectedUnderTheSearchMakesItLookAgain) {
  Three three;
  Collecting store(three.store.objects(), three.term);
  EXPECT_EQ(name_of(newest(store, kJob)), (CheckpointName{1, 40}));
}

TEST(InspectAll, ShowsTheLineFirstThenWhatDoesNotCount) {
  Three three;
  MemoryStore other(three.store.objects());
  const Term second = *open_term(other, kJob);
  ASSERT_TRUE(second.resumes);
  EXPECT_EQ(second.resumes->name, (CheckpointName{1, 30}));
  ASSERT_TRUE(save(other, second, 35).ok());
  EXPECT_EQ(save(three.store, three.term, 50).error().code, Errc::fenced);
  const auto all = inspect_all(three.store, kJob, Depth::bytes);
  ASSERT_EQ(all->size(), 5U);
  EXPECT_EQ(all->front().inspection.name, (CheckpointName{2, 35}));
  EXPECT_EQ(all->back().inspection.name, (CheckpointName{1, 50}));
  EXPECT_FALSE(all->back().on_line);
  EXPECT_EQ(*list_jobs(three.store), std::vector<std::string>{kJob});
}

}  // namespace
}  // namespace ringmaster::storage
