// SPDX-License-Identifier: Apache-2.0
#include "storage/checkpoint/collect.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "storage/checkpoint/newest.h"
#include "storage/checkpoint/small_job.h"

namespace ringmaster::storage {
namespace {

std::size_t count(MemoryStore& store, const std::string& part) {
  return static_cast<std::size_t>(std::count_if(
      store.objects()->begin(), store.objects()->end(),
      [&](const auto& object) { return object.first.find(part) != std::string::npos; }));
}

TEST(Collect, KeepsTheNewestAndLetsTheShardsWait) {
  MemoryStore store;
  const Term term = *open_term(store, kJob);
  for (const std::int64_t step : {10, 20, 30, 40}) ASSERT_TRUE(save(store, term, step).ok());
  const CollectOptions options = {.keep = 2, .grace_seconds = 100};
  const auto old = newest(store, kJob);
  auto collected = collect(store, kJob, options, 1000);
  EXPECT_EQ(collected->manifests, 2U);
  EXPECT_EQ(collected->shards, 0U);
  EXPECT_EQ(count(store, "/shards/"), 8U);
  EXPECT_EQ(collect(store, kJob, options, 1099)->shards, 0U);
  EXPECT_EQ(collect(store, kJob, options, 1100)->shards, 4U);
  EXPECT_EQ(count(store, "/shards/"), 4U);
  EXPECT_EQ(count(store, "/removed/"), 0U);
  EXPECT_EQ(newest(store, kJob)->manifest, old->manifest);
}

TEST(Collect, ASaveUnderWayIsLeftAlone) {
  MemoryStore store;
  const Term term = *open_term(store, kJob);
  ASSERT_TRUE(save(store, term, 10).ok());
  const Manifest late = *write_shards(store, {1, 15}, 2);
  const Manifest next = *write_shards(store, {1, 20}, 2);
  const CollectOptions options = {.keep = 1, .grace_seconds = 0};
  ASSERT_TRUE(collect(store, kJob, options, 1000).ok());
  ASSERT_TRUE(collect(store, kJob, options, 2000).ok());
  ASSERT_TRUE(commit(store, term, next).ok());
  // Now step 15 can be nothing any more.
  ASSERT_TRUE(collect(store, kJob, options, 3000).ok());
  ASSERT_TRUE(collect(store, kJob, options, 3000).ok());
  EXPECT_EQ(count(store, "000000000015"), 0U);
  EXPECT_EQ(commit(store, term, late).error().code, Errc::corrupt);
  EXPECT_EQ(newest(store, kJob)->manifest, next);
}

TEST(Collect, SharedShardsStayAsLongAsSomebodyNamesThem) {
  MemoryStore store;
  const Term term = *open_term(store, kJob);
  const Manifest first = *write_shards(store, {1, 10}, 2);
  ASSERT_TRUE(commit(store, term, first).ok());
  Manifest second = first;  // nothing has changed since
  second.name.step = 20;
  ASSERT_TRUE(commit(store, term, second).ok());
  const CollectOptions options = {.keep = 1, .grace_seconds = 0};
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(collect(store, kJob, options, 1000 + i).ok());
  EXPECT_EQ(count(store, "/manifests/"), 1U);
  EXPECT_EQ(newest(store, kJob)->manifest, second);
  ASSERT_TRUE(save(store, term, 30).ok());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(collect(store, kJob, options, 2000 + i).ok());
  EXPECT_EQ(count(store, "000000000010"), 0U);
  EXPECT_EQ(count(store, "/removed/"), 0U);
}

TEST(Collect, NothingGoesWhenTooFewAreWhole) {
  MemoryStore store;
  const Term term = *open_term(store, kJob);
  for (const std::int64_t step : {10, 20, 30}) ASSERT_TRUE(save(store, term, step).ok());
  for (auto& [key, bytes] : *store.objects()) {
    if (key.find("/shards/") != std::string::npos && key.find("00010/") == std::string::npos) {
      bytes.back() ^= 1;
    }
  }
  EXPECT_EQ(collect(store, kJob, {.keep = 2, .grace_seconds = 0}, 1000)->manifests, 0U);
  EXPECT_EQ(collect(store, kJob, {.keep = 1, .grace_seconds = 0}, 1000)->manifests, 0U);
  store.objects()->at(manifest_key(kJob, {1, 10})).pop_back();
  ASSERT_TRUE(save(store, term, 40).ok());
  EXPECT_EQ(collect(store, kJob, {.keep = 2, .grace_seconds = 0}, 1000)->manifests, 0U);
  EXPECT_EQ(newest(store, kJob)->manifest->name, (CheckpointName{1, 40}));
  EXPECT_FALSE(collect(store, kJob, {.keep = 0}, 1000).ok());
}

/// Damages a random object of the job.
void damage(MemoryStore& store, Random& random) {
  auto at = store.objects()->begin();
  std::advance(at, static_cast<std::ptrdiff_t>(random.below(store.objects()->size())));
  if (at->first.find("/terms/") != std::string::npos && !at->first.ends_with("-from")) return;
  if (random.chance(0.3)) {
    at->second.resize(at->second.size() / 2);
  } else if (!at->second.empty()) {
    at->second[random.below(at->second.size())] ^= 4;
  }
}

TEST(Collect, NeverRemovesWhatASearchWouldReturnWhateverIsDamaged) {
  int collections = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    MemoryStore store;
    std::int64_t now = 1000;
    for (int life = 0; life < 3; ++life) {
      const auto term = open_term(store, kJob);
      ASSERT_TRUE(term.ok());
      std::int64_t step = term->resumes ? term->resumes->name.step : 0;
      for (std::uint64_t i = random.below(5); i > 0; --i) {
        step += 1 + static_cast<std::int64_t>(random.below(3));
        const std::int64_t world = 1 + static_cast<std::int64_t>(random.below(3));
        if (random.chance(0.2)) {
          ASSERT_TRUE(write_shards(store, {term->number, step}, world).ok());
        } else {
          const auto saved = save(store, *term, step, world);
          ASSERT_TRUE(saved.ok()) << saved.error().message;
        }
        if (random.chance(0.3)) damage(store, random);
        const auto before = newest(store, kJob);
        now += static_cast<std::int64_t>(random.below(20));
        const CollectOptions options = {.keep = 1 + static_cast<std::int64_t>(random.below(3)),
                                        .grace_seconds = 10};
        // A collection that dies at some call does no harm either.
        MemoryStore dying(store.objects());
        dying.set_fault({static_cast<std::int64_t>(random.below(60)), FaultKind::before, true});
        MemoryStore& collector = random.chance(0.5) ? dying : store;
        const auto collected = collect(collector, kJob, options, now);
        ASSERT_TRUE(collected.ok() || collected.error().code == Errc::io);
        const auto after = newest(store, kJob);
        ASSERT_EQ(before->manifest, after->manifest);
        ++collections;
      }
    }
  }
  std::printf("%d collections\n", collections);
}

TEST(Collect, InTheEndNothingIsLeftOver) {
  MemoryStore store;
  for (int life = 0; life < 5; ++life) {
    const Term term = *open_term(store, kJob);
    const std::int64_t from = term.resumes ? term.resumes->name.step : 0;
    for (std::int64_t step = from + 1; step < from + 5; ++step) {
      ASSERT_TRUE(save(store, term, step).ok());
      ASSERT_TRUE(write_shards(store, {term.number, step}, 3).ok());  // another try, not committed
    }
  }
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(collect(store, kJob, {.keep = 2, .grace_seconds = 10}, 1000 + 10 * i).ok());
  }
  EXPECT_EQ(count(store, "/manifests/"), 2U);
  EXPECT_EQ(count(store, "/terms/"), 2U);
  EXPECT_EQ(count(store, "/removed/"), 0U);
  EXPECT_EQ(count(store, "/shards/"), 10U);  // a tried one stays with its folder
  EXPECT_EQ(*remove_job(store, kJob), 14U);
  EXPECT_TRUE(store.objects()->empty());
}

TEST(RemoveJob, ThatDiesOnItsWayLeavesNoCheckpointWithPartsMissing) {
  MemoryStore whole_job;
  const Term term = *open_term(whole_job, kJob);
  for (const std::int64_t step : {1, 2, 3}) ASSERT_TRUE(save(whole_job, term, step).ok());
  const auto objects = *whole_job.objects();
  for (std::int64_t call = 0; call < 20; ++call) {
    MemoryStore store;
    *store.objects() = objects;
    store.set_fault({call, FaultKind::before, true});
    (void)remove_job(store, kJob).ok();
    MemoryStore reader(store.objects());
    EXPECT_TRUE(newest(reader, kJob)->skipped.empty()) << call;
    EXPECT_TRUE(remove_job(reader, kJob).ok());
    EXPECT_TRUE(reader.objects()->empty());
  }
}

}  // namespace
}  // namespace ringmaster::storage
