// SPDX-License-Identifier: Apache-2.0
#include "jobs/simulator/root_cause.h"

#include <gtest/gtest.h>

#include <csignal>

namespace ringmaster::jobs::simulator {
namespace {

constexpr JobId kId{1};

Job job_of(int ranks) {
  Job job;
  job.id = kId;
  for (int i = 0; i < ranks; ++i) {
    RankRecord rank;
    rank.id = {kId, Rank{i}, Incarnation{i + 1}};
    job.ranks.push_back(rank);
  }
  return job;
}

EndJob failed_with(int code) {
  return {kId, JobState::failed, code, "why"};
}

TEST(RootCause, TheFirstFailureCountsAndNotWhatDiedOfIt) {
  Job job = job_of(3);
  RootCause cause;
  cause.before(RankExited{job.ranks[1].id, {0, SIGSEGV}, kNoState}, &job);
  cause.before(RankExited{job.ranks[2].id, {0, SIGABRT}, kNoState}, &job);
  job.outcome = Outcome{};
  cause.before(RankExited{job.ranks[0].id, {0, SIGTERM}, kNoState}, &job);
  EXPECT_EQ(cause.judge(failed_with(128 + SIGSEGV)), "");
  EXPECT_NE(cause.judge(failed_with(128 + SIGABRT)), "");
  EXPECT_NE(cause.judge(failed_with(128 + SIGTERM)), "");
  EXPECT_NE(cause.judge(failed_with(0)), "");
}

TEST(RootCause, AHealedLossIsForgotten) {
  const Job job = job_of(2);
  RootCause cause;
  cause.before(RankExited{job.ranks[1].id, {0, SIGSEGV}, kNoState}, &job);
  cause.before(RankSynced{job.ranks[0].id, Generation{2}, 3, Rank{0}}, &job);
  cause.before(RankExited{job.ranks[0].id, {3, 0}, kNoState}, &job);
  EXPECT_EQ(cause.judge(failed_with(3)), "");
  EXPECT_NE(cause.judge(failed_with(128 + SIGSEGV)), "");
}

TEST(RootCause, AStopEndsWithTheCodeOfItsRequest) {
  const Job job = job_of(1);
  RootCause cause;
  cause.before(StopRequested{kId, "ctrl-C", SIGINT, 130, false}, &job);
  EXPECT_EQ(cause.judge({kId, JobState::cancelled, 130, "ctrl-C"}), "");
  EXPECT_NE(cause.judge({kId, JobState::cancelled, 1, "ctrl-C"}), "");
  EXPECT_NE(cause.judge({kId, JobState::done, 130, ""}), "");
  EXPECT_EQ(cause.judge({kId, JobState::done, 0, ""}), "");
  EXPECT_NE(cause.judge({kId, JobState::running, 0, ""}), "");
}

}  // namespace
}  // namespace ringmaster::jobs::simulator
