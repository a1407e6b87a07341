// SPDX-License-Identifier: Apache-2.0
#include "jobs/core/core.h"

#include <gtest/gtest.h>

#include <csignal>

#include "jobs/core/outstanding.h"
#include "jobs/core/story_for_test.h"

namespace ringmaster::jobs {
namespace {

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

TEST(Core, AnEndedJobIsForgottenByTheNextStep) {
  Story story(elastic(1, 2));
  story.run(2);
  for (const int number : {0, 1}) story.step(RankFinished{story.id(number), Generation{1}});
  const RankId late = story.id(1);
  for (const int number : {0, 1}) story.exit(number, {0, 0});
  ASSERT_TRUE(story.end());
  EXPECT_EQ(story.job().state, JobState::done);  // whoever wants to know more looks now
  EXPECT_EQ(outstanding(story.core().state()).size(), 1u);
  EXPECT_TRUE(story.step(RankReady{late, 7, Generation{1}}).empty());
  EXPECT_TRUE(story.core().state().jobs.empty());
  EXPECT_TRUE(outstanding(story.core().state()).empty());
  EXPECT_EQ(story.core().state().dropped_events, 1);
  story.step(CheckpointCommitted{JobId{1}, Term{1}, 5});
  story.step(StopRequested{JobId{1}, "too late"});
  EXPECT_TRUE(story.core().state().jobs.empty());
  story.step(JobSubmitted{JobId{2}, elastic(1, 2)});
  EXPECT_DEATH(story.step(JobSubmitted{JobId{1}, elastic(1, 2)}), "last_job");
}

TEST(Core, AHostThatWasMadeForAForgottenJobIsStillReleased) {
  JobSpec spec = elastic(1, 1);
  spec.hosts_max = 1;
  Core core;
  core.step(Time{}, JobSubmitted{JobId{1}, spec});
  core.step(Time{}, StopRequested{JobId{1}, "enough"});
  core.step(Time{}, TimerExpired{});
  ASSERT_EQ(core.state().hosts.size(), 1u);
  EXPECT_EQ(core.state().hosts.begin()->second.state, HostState::releasing);
  core.step(Time{}, HostJoined{HostId{1}, "local-1", 1});  // too late
  core.step(Time{}, HostReleased{HostId{1}});
  EXPECT_TRUE(core.state().hosts.empty());
}

JobSpec whole(int ranks, int restarts) {
  return {
      .name = "test", .ranks_min = ranks, .ranks_max = ranks, .restarts = restarts, .whole = true};
}

std::vector<int> attempts(const Actions& actions) {
  std::vector<int> all;
  for (const Action& action : actions) {
    if (const auto* start = std::get_if<StartRank>(&action)) all.push_back(start->attempt);
  }
  return all;
}

TEST(Core, RanksThatKnowNoGenerationsAllStartAgain) {
  Story story(whole(3, 1));
  for (int number = 0; number < 3; ++number) story.step(RankStarted{story.id(number)});
  story.exit(0, {0, 0});  // has done its work, and will do it again
  EXPECT_EQ(count<SignalRank>(story.exit(1, {3, 0})), 1);
  EXPECT_EQ(story.job().restarts_used, 1);
  EXPECT_EQ(story.job().count(RankState::stopping), 1);
  EXPECT_EQ(attempts(story.exit(2, {0, SIGTERM})), (std::vector<int>{1, 1, 1}));
  story.exit(1, {4, 0});
  for (int number : {0, 2}) story.exit(number, {0, SIGTERM});
  ASSERT_TRUE(story.end());
  EXPECT_EQ(story.end()->exit_code, 4);
  EXPECT_EQ(story.end()->reason, "rank 1: exited with code 4; all 1 restarts are used up");
}

TEST(Core, ARankThatIgnoresTheStopBeforeARestartIsKilledAfterTheGrace) {
  Story story(whole(2, 5));
  for (int number = 0; number < 2; ++number) story.step(RankStarted{story.id(number)});
  story.exit(0, kKilled);
  EXPECT_EQ(story.job().count(RankState::starting), 0);
  const Actions actions = story.wait(story.job().spec.grace);
  ASSERT_EQ(count<SignalRank>(actions), 1);
  EXPECT_EQ(story.rank(1).signal, SIGKILL);
  EXPECT_EQ(attempts(story.exit(1, kKilled)), (std::vector<int>{1, 1}));
  EXPECT_FALSE(story.core().next_timer());
}

TEST(Core, AStopDuringARestartIsTheEnd) {
  Story story(whole(2, 5));
  for (int number = 0; number < 2; ++number) story.step(RankStarted{story.id(number)});
  story.exit(0, {1, 0});
  story.step(StopRequested{JobId{1}, "enough", 15, 143});
  EXPECT_EQ(count<StartRank>(story.exit(1, {0, SIGTERM})), 0);
  ASSERT_TRUE(story.end());
  EXPECT_EQ(story.end()->exit_code, 143);
}

TEST(Core, SessionsOfAWholeJobMeetAgainInTheNextGeneration) {
  Story story(whole(2, 5));
  story.run(2, 7);
  story.exit(0, {1, 0});
  story.exit(1, {0, SIGTERM});
  story.run(2, 0);
  EXPECT_EQ(story.generation(), 2);
  EXPECT_EQ(story.members(), 2u);
}

}  // namespace
}  // namespace ringmaster::jobs
