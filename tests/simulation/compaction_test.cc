// SPDX-License-Identifier: Apache-2.0
//
// Stories of the simulator, with all their faults, told to cores that are put down as snapshots and
// taken up again in the middle: they must decide as one that never was.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "base/random.h"
#include "base/sanitized.h"
#include "jobs/coordinator/journal.h"
#include "jobs/core/dump.h"
#include "jobs/simulator/simulate.h"
#include "jobs/wire/snapshot.h"

namespace ringmaster::jobs {
namespace {

std::vector<std::pair<Time, Event>> story_of(std::uint64_t seed) {
  return simulator::simulate(seed, {.keep_events = true}).events;
}

TEST(Compaction, ACoreThatGoesOnFromASnapshotDecidesAlike) {
  constexpr std::uint64_t kSeeds = kSanitized ? 300 : 1000;
  Random random(1);
  std::int64_t taken_up = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    Core whole, restored;
    for (const auto& [time, event] : story_of(seed)) {
      if (random.chance(0.1)) {
        auto core = core_of(snapshot_of(restored));
        ASSERT_TRUE(core) << core.error().message;
        restored = std::move(*core);
        ++taken_up;
      }
      const Decided expected = decide(whole, time, 0, event);
      const Decided decided = decide(restored, time, 0, event);
      ASSERT_EQ(decided.actions.size(), expected.actions.size()) << "seed " << seed;
      ASSERT_EQ(decided.story.size(), expected.story.size()) << "seed " << seed;
      for (std::size_t i = 0; i < decided.story.size(); ++i) {
        ASSERT_EQ(decided.story[i].text, expected.story[i].text) << "seed " << seed;
      }
      ASSERT_EQ(snapshot_of(restored), snapshot_of(whole)) << "seed " << seed;
      ASSERT_EQ(restored.next_timer(), whole.next_timer()) << "seed " << seed;
    }
    ASSERT_EQ(dump(restored.state()), dump(whole.state())) << "seed " << seed;
  }
  EXPECT_LT(kSanitized ? 300 : 1000, taken_up);
}

class CompactedJournal : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / "ringmaster-compaction-XXXXXX";
    ASSERT_NE(::mkdtemp(folder_.data()), nullptr);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::unique_ptr<Journal> open(std::uint64_t seed, Journal::Mode mode) const {
    auto journal = Journal::open(folder_ + "/" + std::to_string(seed), mode);
    EXPECT_TRUE(journal) << journal.error().message;
    return journal ? std::move(*journal) : nullptr;
  }
  /// Whether a reader that knows the events up to `last` comes to the writer's state.
  static void check(const Journal& reader, Core& known, std::int64_t& last, const Core& core) {
    const auto read = reader.catch_up(known, last);
    ASSERT_TRUE(read) << read.error().message;
    ASSERT_EQ(snapshot_of(known), snapshot_of(core));
    ASSERT_EQ(dump(known.state()), dump(core.state()));
  }

  std::string folder_;
};

TEST_F(CompactedJournal, GivesTheRunningState) {
  constexpr std::uint64_t kSeeds = 25;
  Random random(2);
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    auto journal = open(seed, Journal::Mode::write);
    const auto reader = open(seed, Journal::Mode::read);
    Core core, known;
    std::int64_t last = 0;
    for (const auto& [time, event] : story_of(seed)) {
      const Decided decided = decide(core, time, 0, event);
      JobEntry entry;
      entry.job = JobId{1};
      const bool submitted = std::holds_alternative<JobSubmitted>(event);
      ASSERT_TRUE(submitted ? journal->append_job(entry, decided) : journal->append(decided));
      if (random.chance(0.05)) {
        ASSERT_TRUE(journal->compact(core));
      }
      if (random.chance(0.05)) check(*reader, known, last, core);
      if (random.chance(0.02)) journal = open(seed, Journal::Mode::write);
      if (HasFatalFailure()) FAIL() << "seed " << seed;
    }
    check(*reader, known, last, core);
    Core anew;
    std::int64_t none = 0;
    check(*reader, anew, none, core);
  }
}

}  // namespace
}  // namespace ringmaster::jobs
