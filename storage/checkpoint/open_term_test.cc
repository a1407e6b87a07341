// SPDX-License-Identifier: Apache-2.0
//
// Take-overs: at every single call of one writer another one takes over, and the first, which knows
// nothing of it, goes on.
#include <gtest/gtest.h>

#include <functional>

#include "storage/checkpoint/small_job.h"

namespace ringmaster::storage {
namespace {

/// Lets somebody else act between two of its calls.
class Paused : public MemoryStore {
 public:
  Paused(std::int64_t call, std::function<void(MemoryStore&)> meanwhile)
      : call_(call), meanwhile_(std::move(meanwhile)) {}

  Result<void> put(const std::string& key, const Pieces& pieces) override {
    pause();
    return MemoryStore::put(key, pieces);
  }
  Result<void> create(const std::string& key, const Pieces& pieces) override {
    pause();
    return MemoryStore::create(key, pieces);
  }
  Result<std::string> read(const std::string& key, std::uint64_t offset,
                           std::uint64_t bytes) override {
    pause();
    return MemoryStore::read(key, offset, bytes);
  }
  Result<std::vector<ObjectInfo>> list(const std::string& prefix) override {
    pause();
    return MemoryStore::list(prefix);
  }
  Result<void> remove(const std::string& key) override {
    pause();
    return MemoryStore::remove(key);
  }

 private:
  void pause() {
    if (calls() != call_ || !meanwhile_) return;
    MemoryStore other(objects());
    std::exchange(meanwhile_, nullptr)(other);
  }

  std::int64_t call_;
  std::function<void(MemoryStore&)> meanwhile_;
};

/// What a writer knows of its own commits.
struct Diary {
  std::int64_t durable = -1;  // the last step whose commit succeeded
  bool fenced = false;
};

/// A writer with `saves` saves and a collection after each.
Diary live(ObjectStore& store, std::int64_t saves, std::int64_t now) {
  Diary diary;
  const auto term = open_term(store, kJob);
  if (!term) {
    EXPECT_EQ(term.error().code, Errc::fenced);
    return {-1, true};
  }
  const std::int64_t from = term->resumes ? term->resumes->name.step : -1;
  for (std::int64_t step = from + 1; step <= from + saves; ++step) {
    const auto saved = save(store, *term, step);
    if (saved) {
      EXPECT_FALSE(diary.fenced) << "a fenced writer's commit succeeded";
      diary.durable = step;
    } else {
      EXPECT_TRUE(saved.error().code == Errc::fenced || saved.error().code == Errc::corrupt)
          << saved.error().message;
      diary.fenced = true;
    }
    EXPECT_TRUE(collect(store, kJob, {.keep = 2, .grace_seconds = 0}, now + step).ok());
  }
  return diary;
}

/// Runs an old writer that pauses at the call while a new one lives; -1 for `call`: the length.
std::int64_t take_over_at(std::int64_t call, std::int64_t old_saves, std::int64_t new_saves) {
  Diary newer;
  Paused store(call, [&](MemoryStore& other) { newer = live(other, new_saves, 2000); });
  // What both find: a job that has run before.
  MemoryStore before(store.objects());
  CHECK_EQ(live(before, 2, 1000).durable, 1);
  const Diary older = live(store, old_saves, 3000);
  MemoryStore reader(store.objects());
  const auto found = newest(reader, kJob);
  CHECK(found.ok());
  EXPECT_TRUE(found->manifest.has_value());
  if (!found->manifest) return store.calls();
  EXPECT_TRUE(loads(reader, *found->manifest));
  const CheckpointName last = found->manifest->name;
  EXPECT_GE(last.step, newer.durable);
  EXPECT_GE(last.step, older.durable);
  const auto listing = list_job(reader, kJob);
  const std::int64_t top = listing->openings.rbegin()->first;
  if (newer.durable >= 0 && older.fenced) {
    // The new writer's last commit wins, whatever the old one wrote afterwards.
    EXPECT_EQ(last, (CheckpointName{top, newer.durable}));
  }
  return store.calls();
}

TEST(TakeOver, AtEveryCallTheOldWritersLateWritesNeverWin) {
  const std::int64_t calls = take_over_at(-1, 4, 0);
  int stories = 0;
  for (const std::int64_t new_saves : {0, 1, 3}) {
    for (std::int64_t call = 0; call < calls; ++call) {
      SCOPED_TRACE(fmt::format("new saves {} call {}", new_saves, call));
      take_over_at(call, 4, new_saves);
      ++stories;
      if (testing::Test::HasFailure()) return;
    }
  }
  std::printf("%d take-overs\n", stories);
}

}  // namespace
}  // namespace ringmaster::storage
