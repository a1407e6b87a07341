// SPDX-License-Identifier: Apache-2.0
//
// Writers that die, lose answers, and wake up too late.
#include "storage/checkpoint/writer.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "storage/checkpoint/small_job.h"

namespace ringmaster::storage {
namespace {

using Objects = std::shared_ptr<MemoryStore::Objects>;

/// The newest checkpoint as a client without faults sees it.
std::optional<Manifest> look(const Objects& objects) {
  MemoryStore reader(objects);
  const auto found = newest(reader, kJob);
  CHECK(found.ok());
  if (found->manifest) CHECK(loads(reader, *found->manifest));
  return found->manifest;
}

/// Two terms of three saves each, with collection: what a job does. Goes on after errors, as a
/// coordinator would. Returns the last step whose commit succeeded, -1: none.
std::int64_t live(ObjectStore& store) {
  std::int64_t durable = -1;
  for (int life = 0; life < 2; ++life) {
    const auto term = open_term(store, kJob);
    if (!term) continue;
    const std::int64_t from = term->resumes ? term->resumes->name.step : -1;
    for (std::int64_t step = from + 1; step < from + 4; ++step) {
      if (save(store, *term, step)) durable = step;
      // No grace: in this story nobody restores while the writer lives.
      const auto collected = collect(store, kJob, {.keep = 2, .grace_seconds = 0}, step + 1000);
      if (!collected) continue;
    }
  }
  return durable;
}

TEST(Writer, ACrashAtAnyCallLosesNoCommitThatReturned) {
  MemoryStore dry;
  const std::int64_t last = live(dry);
  EXPECT_EQ(last, 5);
  const std::int64_t calls = dry.calls();
  int stories = 0;
  for (const FaultKind kind : {FaultKind::before, FaultKind::after, FaultKind::torn}) {
    for (const bool crash : {true, false}) {
      for (std::int64_t call = 0; call < calls; ++call) {
        if (kind != FaultKind::before && !dry.changes().contains(call)) continue;
        SCOPED_TRACE(fmt::format("call {} kind {} crash {}", call, static_cast<int>(kind), crash));
        MemoryStore store;
        store.set_fault({call, kind, crash});
        const std::int64_t durable = live(store);
        const auto found = look(store.objects());
        ASSERT_GE(found ? found->name.step : -1, durable);
        if (!crash) {
          ASSERT_GE(durable, 2);
        }
        // The next one goes on from there, as if nothing had been.
        MemoryStore next(store.objects());
        const auto term = open_term(next, kJob);
        ASSERT_TRUE(term.ok()) << term.error().message;
        ASSERT_EQ(term->resumes, found);
        const std::int64_t step = found ? found->name.step + 1 : 0;
        ASSERT_TRUE(save(next, *term, step).ok());
        ASSERT_EQ(look(store.objects())->name, (CheckpointName{term->number, step}));
        ++stories;
      }
    }
  }
  std::printf("%d stories: %ld calls, failed before, after, or torn; with a crash or without\n",
              stories, static_cast<long>(calls));
}

TEST(Writer, ACommitWhoseAnswerWasLostSucceedsWhenItIsRepeated) {
  MemoryStore store;
  const Term term = *open_term(store, kJob);
  const Manifest manifest = *write_shards(store, {1, 5}, 2);
  store.set_fault({store.calls() + 1, FaultKind::after, false});  // after the listing: the create
  EXPECT_EQ(commit(store, term, manifest).error().code, Errc::io);
  EXPECT_TRUE(commit(store, term, manifest).ok());
  EXPECT_TRUE(commit(store, term, manifest).ok());
}

TEST(Writer, ATornManifestIsCommittedUnderANewerTerm) {
  MemoryStore store;
  const Term term = *open_term(store, kJob);
  ASSERT_TRUE(save(store, term, 4).ok());
  const Manifest manifest = *write_shards(store, {1, 5}, 2);
  store.set_fault({store.calls() + 1, FaultKind::torn, false});
  EXPECT_FALSE(commit(store, term, manifest).ok());
  EXPECT_EQ(commit(store, term, manifest).error().code, Errc::corrupt);
  const Term next = *open_term(store, kJob);
  EXPECT_EQ(next.skipped.size(), 1U);
  ASSERT_TRUE(save(store, next, 5).ok());
  EXPECT_EQ(look(store.objects())->name, (CheckpointName{2, 5}));
}

TEST(Writer, ACommitOfAShardThatIsNotThereFails) {
  MemoryStore store;
  const Term term = *open_term(store, kJob);
  const Manifest manifest = *write_shards(store, {1, 5}, 2);
  store.objects()->at(manifest.shards[1].key).pop_back();
  const auto committed = commit(store, term, manifest);
  EXPECT_EQ(committed.error().code, Errc::corrupt);
  EXPECT_NE(committed.error().message.find(manifest.shards[1].key), std::string::npos);
  EXPECT_FALSE(look(store.objects()));
}

TEST(Writer, AStepThatTheTermResumedFromIsNotCommittedAgain) {
  MemoryStore store;
  const Term term = *open_term(store, kJob);
  ASSERT_TRUE(save(store, term, 5).ok());
  const Term next = *open_term(store, kJob);
  EXPECT_EQ(save(store, next, 5).error().code, Errc::invalid);
  EXPECT_TRUE(save(store, next, 6).ok());
}

TEST(Writer, TwoOpenersAtTheSameTimeOneIsFenced) {
  MemoryStore store;
  /// Opens a term of its own in the middle of another's opening.
  class Rival : public MemoryStore {
   public:
    explicit Rival(std::shared_ptr<Objects> objects) : MemoryStore(std::move(objects)) {}
    Result<void> create(const std::string& key, const Pieces& pieces) override {
      auto created = MemoryStore::create(key, pieces);
      if (key == claim_key(kJob, 1)) {
        MemoryStore other(objects());
        const auto second = open_term(other, kJob);
        CHECK_EQ(second->number, 2);
      }
      return created;
    }
  } rival(store.objects());
  EXPECT_EQ(open_term(rival, kJob).error().code, Errc::fenced);
  EXPECT_EQ(open_term(store, kJob)->number, 3);
}

TEST(Writer, AShardThatDoesNotFitIsRefused) {
  MemoryStore store;
  const Tensor tensor{"w", Dtype::f32, {2}};
  EXPECT_FALSE(write_shard(store, kJob, {{1, 1}, 0, 1}, {{tensor, whole({2}), "1234567"}}).ok());
  EXPECT_FALSE(
      write_shard(store, kJob, {{1, 1}, 0, 1}, {{tensor, whole({3}), "123456789012"}}).ok());
  const auto written = write_shard(store, kJob, {{1, 1}, 0, 1}, {{tensor, whole({2}), "12345678"}});
  ASSERT_TRUE(written.ok());
  EXPECT_FALSE(assemble(kJob, {1, 1}, 1, {{"w", Dtype::f32, {3}}}, {*written}).ok());
  EXPECT_FALSE(assemble(kJob, {1, 1}, 1, {tensor, {"b", Dtype::u8, {1}}}, {*written}).ok());
  EXPECT_TRUE(assemble(kJob, {1, 1}, 1, {tensor}, {*written}).ok());
}

}  // namespace
}  // namespace ringmaster::storage
