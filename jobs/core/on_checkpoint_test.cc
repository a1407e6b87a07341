// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <csignal>

#include "jobs/core/outstanding.h"
#include "jobs/core/story_for_test.h"

namespace ringmaster::jobs {
namespace {

/// What a rank's agent says of its share of a save in the current generation.
Actions save(Story& story, int number, std::int64_t steps) {
  ShardWritten written{story.id(number),
                       story.job().table.generation,
                       steps,
                       number,
                       static_cast<int>(story.members()),
                       {8},
                       {}};
  return story.step(written);
}

JobSpec saving(int ranks_min, int ranks_max, int restarts = 10) {
  JobSpec spec = elastic(ranks_min, ranks_max, restarts);
  spec.save_every = 20;
  return spec;
}

TEST(Saves, TheFirstGenerationWaitsForTheTerm) {
  Story story(saving(1, 2));
  EXPECT_TRUE(story.job().saves.opening);
  for (const int number : {0, 1}) story.ready(number);
  EXPECT_EQ(story.generation(), 0);
  story.step(TermOpened{JobId{1}, 1, Term{1}, {}, ""});
  EXPECT_EQ(story.generation(), 1);
  EXPECT_FALSE(story.job().table.restore);
}

TEST(Saves, AJobThatWasSavedBeforeStartsFromThere) {
  Story story(saving(1, 2));
  story.step(TermOpened{JobId{1}, 1, Term{4}, {Term{3}, 60}, ""});
  for (const int number : {0, 1}) story.ready(number);
  EXPECT_EQ(story.job().table.restore, (CheckpointAt{Term{3}, 60}));
}

TEST(Saves, AStoreThatIsNotThereFailsTheJobBeforeItsFirstStep) {
  Story story(saving(1, 2));
  story.step(TermFailed{JobId{1}, 1, "/x: No such file or directory"});
  for (const int number : {0, 1}) story.exit(number, {0, SIGTERM});
  ASSERT_TRUE(story.end());
  EXPECT_EQ(story.end()->reason, "checkpoints: /x: No such file or directory");
}

TEST(Saves, AWholeSaveIsCommittedAndAnOlderOneIsNot) {
  Story story(saving(1, 2));
  story.step(TermOpened{JobId{1}, 1, Term{1}, {}, ""});
  story.run(2);
  EXPECT_EQ(count<CommitCheckpoint>(save(story, 0, 20)), 0);
  EXPECT_EQ(count<CommitCheckpoint>(save(story, 0, 40)), 0);
  EXPECT_EQ(count<CommitCheckpoint>(save(story, 1, 40)), 1);
  EXPECT_EQ(count<CommitCheckpoint>(save(story, 1, 20)), 0);  // an older one, and late
  EXPECT_EQ(outstanding(story.core().state()).size(), 2u);    // the term and the commit, again
  story.step(CheckpointCommitted{JobId{1}, Term{1}, 40});
  EXPECT_EQ(story.job().saves.durable, (CheckpointAt{Term{1}, 40}));
  save(story, 0, 40);
  EXPECT_TRUE(story.job().saves.collecting.empty());
}

TEST(Saves, OneCommitAtATimeAndTheNewestNext) {
  Story story(saving(1, 1));
  story.step(TermOpened{JobId{1}, 1, Term{1}, {}, ""});
  story.run(1);
  EXPECT_EQ(count<CommitCheckpoint>(save(story, 0, 20)), 1);
  for (const int steps : {40, 60}) EXPECT_EQ(count<CommitCheckpoint>(save(story, 0, steps)), 0);
  const Actions next = story.step(CheckpointCommitted{JobId{1}, Term{1}, 20});
  ASSERT_EQ(count<CommitCheckpoint>(next), 1);
  EXPECT_EQ(story.job().saves.committing->steps, 60);
}

TEST(Saves, AfterATotalLossTheRanksStartFromTheCheckpoint) {
  Story story(saving(1, 2));
  story.step(TermOpened{JobId{1}, 1, Term{1}, {}, ""});
  story.run(2, 43);
  for (const int number : {0, 1}) save(story, number, 40);
  story.step(CheckpointCommitted{JobId{1}, Term{1}, 40});
  save(story, 0, 60);
  story.exit(1, kKilled);
  EXPECT_EQ(count<OpenTerm>(story.exit(0, kKilled)), 1);
  EXPECT_TRUE(story.job().saves.collecting.empty());
  for (const int number : {0, 1}) story.ready(number);
  EXPECT_EQ(story.generation(), 1);  // it waits for the store
  story.step(TermOpened{JobId{1}, 2, Term{2}, {Term{1}, 40}, ""});
  EXPECT_EQ(story.generation(), 2);
  EXPECT_EQ(story.job().table.restore, (CheckpointAt{Term{1}, 40}));
  // A shard of the history that was left comes late.
  ShardWritten late{story.id(1), Generation{1}, 60, 1, 2, {8}, {}};
  story.step(late);
  EXPECT_TRUE(story.job().saves.collecting.empty());
  // A break before anybody holds the state: the next generation starts from there as well.
  story.exit(1, kKilled);
  story.ready(0);
  EXPECT_EQ(story.generation(), 3);
  EXPECT_TRUE(story.job().table.restore);
}

TEST(Saves, WithoutAWholeCheckpointATotalLossFailsTheJob) {
  Story story(saving(1, 1));
  story.step(TermOpened{JobId{1}, 1, Term{1}, {}, ""});
  story.run(1, 43);
  save(story, 0, 20);
  story.exit(0, {0, SIGSEGV});  // while the first one is being committed
  story.step(CheckpointFailed{JobId{1}, 20, "disk full"});
  story.step(TermOpened{JobId{1}, 2, Term{2}, {}, ""});
  story.exit(0, {0, SIGTERM});
  ASSERT_TRUE(story.end());
  EXPECT_EQ(story.end()->exit_code, 128 + SIGSEGV);
}

TEST(Saves, TheEndWaitsForTheLastCommitAndForNoSaveThatWillNeverBeWhole) {
  for (const bool fails : {false, true}) {
    Story story(saving(1, 2));
    story.step(TermOpened{JobId{1}, 1, Term{1}, {}, ""});
    story.run(2, 43);
    save(story, 0, 20);  // the other's share was never written
    for (const int number : {0, 1}) save(story, number, 43);
    for (const int number : {0, 1}) {
      story.step(RankFinished{story.id(number), story.job().table.generation});
      story.exit(number, {});
    }
    ASSERT_FALSE(story.end());
    EXPECT_EQ(story.job().reason, "its last checkpoint is being written");
    if (fails) {
      story.step(CheckpointFailed{JobId{1}, 43, "the store did not answer in 120 s"});
    } else {
      story.step(CheckpointCommitted{JobId{1}, Term{1}, 43});
    }
    ASSERT_TRUE(story.end());
    EXPECT_EQ(story.end()->state, JobState::done);
  }
}

TEST(Saves, AJobThatIsCancelledKeepsTheSaveThatWasWhole) {
  Story story(saving(1, 2));
  story.step(TermOpened{JobId{1}, 1, Term{1}, {}, ""});
  story.run(2, 43);
  save(story, 0, 40);
  story.step(StopRequested{JobId{1}, "cancelled"});
  EXPECT_EQ(count<CommitCheckpoint>(save(story, 1, 40)), 1);
  for (const int number : {0, 1}) story.exit(number, {0, SIGTERM});
  EXPECT_FALSE(story.end());
  story.step(CheckpointCommitted{JobId{1}, Term{1}, 40});
  EXPECT_TRUE(story.end());
}

TEST(Saves, AHostThatJoinsAgainHearsOfTheWishOnceMore) {
  Story story(saving(1, 2));
  story.step(TermOpened{JobId{1}, 1, Term{1}, {}, ""});
  story.run(2, 43);
  const HostNotice notice{HostId{1}, Time(std::chrono::hours(1)), "spot reclaim"};
  EXPECT_EQ(count<AskForSave>(story.step(notice)), 1);
  EXPECT_EQ(count<AskForSave>(outstanding_ranks(story.core().state(), HostId{1})), 1);
  for (const int number : {0, 1}) save(story, number, 44);
  EXPECT_EQ(count<Report>(story.step(CheckpointCommitted{JobId{1}, Term{1}, 44})), 1);
  EXPECT_EQ(count<AskForSave>(outstanding_ranks(story.core().state(), HostId{1})), 0);
}

TEST(Saves, AFailedSaveIsSaidOnceAndTrainingGoesOn) {
  Story story(saving(1, 2));
  story.step(TermOpened{JobId{1}, 1, Term{1}, {}, ""});
  story.run(2, 43);
  EXPECT_EQ(count<Report>(story.step(ShardFailed{story.id(0), 40, "disk full"})), 1);
  EXPECT_EQ(count<Report>(story.step(ShardFailed{story.id(1), 40, "disk full"})), 0);
  EXPECT_EQ(story.job().state, JobState::running);
}

}  // namespace
}  // namespace ringmaster::jobs
