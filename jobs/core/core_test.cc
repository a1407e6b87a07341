// SPDX-License-Identifier: Apache-2.0
#include "jobs/core/core.h"

#include <gtest/gtest.h>

#include <csignal>

#include "jobs/core/invariants.h"
#include "jobs/core/outstanding.h"

namespace ringmaster::jobs {
namespace {

/// A core with one host and one job, and short words for what happens to its ranks.
class Story {
 public:
  explicit Story(JobSpec spec) {
    step(HostJoined{HostId{1}, "a", 8});
    step(JobSubmitted{JobId{1}, spec});
  }
  Actions step(const Event& event) {
    now_ += std::chrono::milliseconds(1);
    Actions actions = core_.step(now_, event);
    for (const auto& violation : invariants_.check(core_.state(), actions)) {
      ADD_FAILURE() << violation;
    }
    for (const Action& action : actions) {
      if (const auto* ended = std::get_if<EndJob>(&action)) end_ = *ended;
    }
    return actions;
  }
  Actions wait(Duration duration) {
    now_ += duration;
    return step(TimerExpired{});
  }
  const Job& job() const { return core_.state().jobs.at(JobId{1}); }
  const RankRecord& rank(int number) const { return job().ranks[static_cast<std::size_t>(number)]; }
  RankId id(int number) const { return rank(number).id; }
  std::int64_t generation() const { return job().table.generation.value; }
  std::size_t members() const { return job().table.members.size(); }

  void ready(int number, std::int64_t steps = kNoState) {
    if (rank(number).state == RankState::starting) step(RankStarted{id(number)});
    step(RankReady{id(number), steps, job().table.generation});
  }
  Actions exit(int number, ExitStatus status) {
    return step(RankExited{id(number), status, kNoState});
  }
  /// All ranks join and hold `steps` steps.
  void run(int ranks, std::int64_t steps = 0) {
    for (int number = 0; number < ranks; ++number) ready(number);
    for (int number = 0; number < ranks; ++number) {
      step(RankSynced{id(number), job().table.generation, steps, Rank{0}});
    }
  }
  const std::optional<EndJob>& end() const { return end_; }
  const Core& core() const { return core_; }

 private:
  Core core_;
  Invariants invariants_;
  Time now_;
  std::optional<EndJob> end_;
};

JobSpec elastic(int ranks_min, int ranks_max, int restarts = 10) {
  return {.name = "test", .ranks_min = ranks_min, .ranks_max = ranks_max, .restarts = restarts};
}
constexpr ExitStatus kKilled = {0, SIGKILL};

template <class T>
int count(const Actions& actions) {
  int found = 0;
  for (const Action& action : actions) found += std::holds_alternative<T>(action) ? 1 : 0;
  return found;
}

TEST(Core, AGangStartsWholeAndFormsWhenAllAreReady) {
  Story story(elastic(2, 4));
  EXPECT_EQ(story.job().count(RankState::starting), 4);
  for (int number = 0; number < 3; ++number) story.ready(number);
  EXPECT_EQ(story.generation(), 0);
  story.ready(3);
  EXPECT_EQ(story.generation(), 1);
  EXPECT_EQ(story.members(), 4u);
}

TEST(Core, WaitsWithAReasonWhenTheGangDoesNotFit) {
  Core core;
  core.step(Time{}, HostJoined{HostId{1}, "a", 1});
  core.step(Time{}, JobSubmitted{JobId{1}, elastic(2, 4)});
  const Job& job = core.state().jobs.at(JobId{1});
  EXPECT_EQ(job.state, JobState::waiting);
  EXPECT_EQ(job.reason, "1 of 4 ranks have a free slot on 1 hosts");
  core.step(Time{}, HostJoined{HostId{2}, "b", 3});
  EXPECT_EQ(job.state, JobState::starting);
}

TEST(Core, RanksMeetAtAPortOfRankZerosHostThatNoOtherJobHas) {
  Core core;
  Invariants invariants;
  const auto step = [&](const Event& event) {
    const Actions actions = core.step(Time{}, event);
    EXPECT_EQ(invariants.check(core.state(), actions), std::vector<std::string>());
  };
  step(HostJoined{HostId{1}, "a", 3, "10.0.0.1", {7001, 7002}});
  step(HostJoined{HostId{2}, "b", 3, "10.0.0.2", {7001}});
  JobSpec spec;
  spec.ranks_min = spec.ranks_max = 1;
  for (std::int64_t job = 1; job <= 4; ++job) step(JobSubmitted{JobId{job}, spec});
  const auto place = [&](std::int64_t job) {
    const Meeting& meeting = core.state().jobs.at(JobId{job}).meeting;
    return meeting.address + ":" + std::to_string(meeting.port);
  };
  EXPECT_EQ(place(1), "10.0.0.1:7001");
  EXPECT_EQ(place(2), "10.0.0.1:7002");
  EXPECT_EQ(place(3), "10.0.0.1:0");  // it offers no more
  EXPECT_EQ(place(4), "10.0.0.2:7001");
  // What a job had is free when it has ended.
  step(RankExited{core.state().jobs.at(JobId{1}).ranks[0].id, {1, 0}, kNoState});
  step(JobSubmitted{JobId{5}, spec});
  EXPECT_EQ(place(5), "10.0.0.1:7001");
}

TEST(Core, SurvivorsGoOnAndTheReplacementJoins) {
  Story story(elastic(2, 4));
  story.run(4, 7);
  Actions actions = story.exit(1, kKilled);
  EXPECT_EQ(count<AbortGeneration>(actions), 1);
  EXPECT_EQ(count<StartRank>(actions), 1);
  story.ready(0, 8);
  story.ready(2, 7);
  EXPECT_EQ(story.generation(), 1);  // rank 3 has not left yet
  story.ready(3, 7);
  EXPECT_EQ(story.generation(), 2);
  EXPECT_EQ(story.members(), 3u);
  EXPECT_EQ(story.job().table.lost, std::vector<Rank>{Rank{1}});
  story.ready(1);
  EXPECT_EQ(story.job().count(RankState::leaving), 3);
  for (int number : {0, 2, 3}) story.ready(number, 9);
  EXPECT_EQ(story.members(), 4u);
  EXPECT_EQ(story.job().table.joined, std::vector<Rank>{Rank{1}});
}

TEST(Core, BelowTheMinimumItWaitsForReplacements) {
  Story story(elastic(2, 2));
  story.run(2, 3);
  story.exit(0, kKilled);
  story.ready(1, 3);
  EXPECT_EQ(story.generation(), 1);
  story.ready(0);
  EXPECT_EQ(story.generation(), 2);
}

TEST(Core, WhenAllDieTheFirstLossIsTheRootCause) {
  Story story(elastic(1, 2));
  story.run(2, 3);
  story.exit(1, {0, SIGSEGV});
  story.exit(0, kKilled);
  for (int number : {0, 1}) {
    if (story.rank(number).has_process()) story.exit(number, {0, SIGTERM});
  }
  ASSERT_TRUE(story.end());
  EXPECT_EQ(story.end()->state, JobState::failed);
  EXPECT_EQ(story.end()->exit_code, 128 + SIGSEGV);
  EXPECT_EQ(story.end()->reason,
            "rank 1: killed by signal 11 (SIGSEGV); no rank that held the state is left");
}

TEST(Core, APlainJobEndsWithTheCodeOfItsFirstFailure) {
  Story story({.name = "plain", .ranks_min = 3, .ranks_max = 3});
  for (int number = 0; number < 3; ++number) story.step(RankStarted{story.id(number)});
  EXPECT_EQ(story.job().state, JobState::running);
  story.exit(0, {0, 0});
  EXPECT_FALSE(story.end());
  EXPECT_EQ(count<SignalRank>(story.exit(2, {3, 0})), 1);
  story.exit(1, {0, SIGTERM});
  ASSERT_TRUE(story.end());
  EXPECT_EQ(story.end()->exit_code, 3);
}

TEST(Core, AProgramThatIsNotThereEndsTheJobAtOnce) {
  Story story(elastic(2, 4));
  story.step(RankStartFailed{story.id(0), 127, "nonesuch: No such file or directory"});
  for (int number = 1; number < 4; ++number) story.exit(number, {0, SIGTERM});
  ASSERT_TRUE(story.end());
  EXPECT_EQ(story.end()->exit_code, 127);
}

TEST(Core, AnErrorBeforeTheFirstRingIsNotRepeatedTenTimes) {
  Story story(elastic(2, 4));
  story.step(RankStarted{story.id(0)});
  story.step(RankFailed{story.id(0), "unknown option --modle"});
  story.exit(0, {2, 0});
  EXPECT_EQ(story.job().state, JobState::stopping);
  EXPECT_EQ(story.job().reason, "rank 0: unknown option --modle");
}

TEST(Core, AnErrorThatIsSaidAgainWithoutAStepInBetweenEndsTheJob) {
  Story story(elastic(2, 4));
  story.run(4, 7);
  for (const int number : {0, 2}) {
    EXPECT_FALSE(story.job().outcome);
    story.step(RankFailed{story.id(number), "write run.jsonl: No space left on device"});
    story.step(RankExited{story.id(number), {1, 0}, 7});
  }
  EXPECT_EQ(story.job().state, JobState::stopping);
  EXPECT_EQ(story.job().reason, "rank 2: write run.jsonl: No space left on device");
}

TEST(Core, TheSameErrorAfterAStepIsALossLikeAnyOther) {
  Story story(elastic(2, 4));
  story.run(4, 7);
  story.step(RankFailed{story.id(0), "a link went down"});
  story.step(RankExited{story.id(0), {1, 0}, 7});
  story.step(RankFailed{story.id(2), "a link went down"});
  story.step(RankExited{story.id(2), {1, 0}, 8});
  EXPECT_EQ(story.job().state, JobState::running);
}

TEST(Core, ALossAfterTheEndOfTheWorkIsOnlyNoted) {
  Story story(elastic(2, 3));
  story.run(3, 9);
  story.step(RankFinished{story.id(0), Generation{1}});
  EXPECT_EQ(count<StartRank>(story.exit(1, kKilled)), 0);
  story.exit(0, {0, 0});
  story.exit(2, {0, 0});
  ASSERT_TRUE(story.end());
  EXPECT_EQ(story.end()->state, JobState::done);
}

TEST(Core, TheSecondStopSkipsTheGrace) {
  Story story(elastic(2, 2));
  story.run(2);
  story.step(StopRequested{JobId{1}, "ctrl-C", SIGINT, 130, false});
  EXPECT_TRUE(story.core().next_timer());
  EXPECT_EQ(count<SignalRank>(story.step(StopRequested{JobId{1}, "ctrl-C", SIGINT, 130, true})), 2);
  story.exit(0, kKilled);
  story.exit(1, kKilled);
  ASSERT_TRUE(story.end());
  EXPECT_EQ(story.end()->state, JobState::cancelled);
  EXPECT_EQ(story.end()->exit_code, 130);
}

TEST(Core, ARankThatDoesNotLeaveIsKilledAndReplaced) {
  JobSpec spec = elastic(2, 3);
  spec.leave_timeout = std::chrono::seconds(60);
  Story story(spec);
  story.run(3, 4);
  story.exit(0, kKilled);
  story.ready(1, 4);
  EXPECT_EQ(count<SignalRank>(story.wait(std::chrono::seconds(61))), 1);
  EXPECT_EQ(story.rank(2).state, RankState::stopping);
  EXPECT_EQ(story.generation(), 1);  // not before the suspect is dead
  story.exit(2, kKilled);
  story.ready(0);
  EXPECT_EQ(story.generation(), 2);
}

TEST(Core, WhatAnOlderProcessSaysIsDropped) {
  Story story(elastic(2, 3));
  story.run(3);
  const RankId old = story.id(1);
  story.exit(1, kKilled);
  story.step(RankReady{old, 5, Generation{1}});
  EXPECT_EQ(story.core().state().dropped_events, 1);
  EXPECT_EQ(story.rank(1).state, RankState::starting);
}

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
