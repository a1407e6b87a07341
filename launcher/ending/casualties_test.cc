// SPDX-License-Identifier: Apache-2.0
#include "launcher/ending/casualties.h"

#include <gtest/gtest.h>

#include <csignal>

#include "jobs/core/core.h"

namespace ringmaster::launcher {
namespace {

using Lines = std::vector<std::string>;

/// A job of a real core, whose ranks run from the start.
class HeardJob {
 public:
  explicit HeardJob(int ranks, int restarts = 0) {
    jobs::JobSpec spec;
    spec.ranks_min = spec.ranks_max = ranks;
    spec.restarts = restarts;
    spec.whole = restarts > 0;
    step(jobs::HostJoined{jobs::HostId{1}, "here", ranks});
    step(jobs::JobSubmitted{kId, spec});
    for (int rank = 0; rank < ranks; ++rank) step(jobs::RankStarted{id(rank)});
  }
  static constexpr jobs::JobId kId{1};

  jobs::RankId id(int rank) const {
    return core_.state().jobs.at(kId).ranks[static_cast<std::size_t>(rank)].id;
  }
  void exit(int rank, jobs::ExitStatus status, const std::string& why = "") {
    step(jobs::RankExited{id(rank), status, jobs::kNoState, why});
  }
  void step(const jobs::Event& event) {
    now_ += std::chrono::seconds(1);
    const auto actions = core_.step(now_, event);
    casualties.hear(event, core_.state().jobs.contains(kId) ? core_.state().jobs.at(kId) : none_);
    for (const jobs::Action& action : actions) {
      const auto* signal = std::get_if<jobs::SignalRank>(&action);
      if (signal == nullptr) continue;
      const int rank = static_cast<int>(signal->id.rank.value);
      casualties.tell(*signal, ended.contains(rank) ? Found::ended : Found::alive);
    }
  }
  Lines lines() const { return casualties.lines(std::chrono::seconds(30)); }

  std::set<int> ended;  // ranks whose ends have not been heard yet
  Casualties casualties;

 private:
  jobs::Core core_;
  jobs::Job none_;
  Time now_{std::chrono::seconds(1)};
};

TEST(Casualties, OneFailsAndTheOthersAreStopped) {
  HeardJob story(4);
  story.exit(2, {7, 0});
  for (const int rank : {0, 1, 3}) story.exit(rank, {0, SIGTERM});
  ASSERT_TRUE(story.casualties.cause());
  EXPECT_EQ(story.casualties.cause()->id.rank.value, 2);
  EXPECT_EQ(story.casualties.cause()->status.code, 7);
  EXPECT_EQ(story.lines(), Lines{"ranks 0-1 and 3 were stopped because of it"});
}

TEST(Casualties, WhoHadEndedBeforeItWasToldFailedByItself) {
  HeardJob story(4);
  story.ended = {3};
  story.exit(1, {0, SIGSEGV}, "core dumped");
  story.exit(0, {9, 0});  // its own answer to our signal
  story.exit(3, {0, SIGABRT}, "core dumped");
  story.exit(2, {0, SIGTERM});
  EXPECT_EQ(story.casualties.cause()->why, "core dumped");
  EXPECT_EQ(story.lines(), (Lines{"rank 3 failed by itself as well: killed by signal 6 (SIGABRT): "
                                  "core dumped",
                                  "ranks 0 and 2 were stopped because of it"}));
}

TEST(Casualties, WhoEndsWellBeforeIsNoCasualty) {
  HeardJob story(3);
  story.exit(0, {});
  story.exit(1, {3, 0});
  story.exit(2, {0, SIGTERM});
  EXPECT_EQ(story.lines(), Lines{"rank 2 was stopped because of it"});
}

TEST(Casualties, WhoOutlivesTheGraceIsNamed) {
  HeardJob story(3);
  story.exit(0, {3, 0});
  for (int second = 0; second < 10; ++second) story.step(jobs::TimerExpired{});
  story.exit(1, {0, SIGKILL});
  story.exit(2, {0, SIGKILL});
  EXPECT_EQ(story.lines(), (Lines{"ranks 1-2 were stopped because of it",
                                  "ranks 1-2 did not end within the grace of 30 s and were "
                                  "killed"}));
}

TEST(Casualties, AWishOfThePersonHasNoCause) {
  HeardJob story(2);
  story.step(jobs::StopRequested{HeardJob::kId, "ctrl-C", SIGINT, 130, false});
  story.exit(0, {0, SIGINT});
  story.exit(1, {1, 0});
  EXPECT_FALSE(story.casualties.cause());
  EXPECT_EQ(story.lines(), Lines{});
}

TEST(Casualties, AnAttemptThatIsOverIsForgotten) {
  HeardJob story(2, 1);
  story.exit(0, {3, 0});
  EXPECT_TRUE(story.casualties.cause());
  story.exit(1, {0, SIGTERM});
  for (int rank = 0; rank < 2; ++rank) story.step(jobs::RankStarted{story.id(rank)});
  EXPECT_FALSE(story.casualties.cause());
  story.exit(1, {4, 0});
  story.exit(0, {0, SIGTERM});
  EXPECT_EQ(story.casualties.cause()->status.code, 4);
  EXPECT_EQ(story.lines(), Lines{"rank 0 was stopped because of it"});
}

TEST(Casualties, ACascadeIsNotListedToItsEnd) {
  HeardJob story(20);
  for (int rank = 1; rank < 20; ++rank) story.ended.insert(rank);
  for (int rank = 0; rank < 20; ++rank) story.exit(rank, {1, 0});
  const Lines lines = story.lines();
  ASSERT_EQ(lines.size(), 9u);
  EXPECT_EQ(lines.back(), "and so did 11 others");
}

TEST(RanksText, JoinsNeighbours) {
  EXPECT_EQ(ranks_text({3}), "rank 3");
  EXPECT_EQ(ranks_text({0, 1}), "ranks 0-1");
  EXPECT_EQ(ranks_text({0, 2, 3, 4, 7}), "ranks 0, 2-4 and 7");
}

}  // namespace
}  // namespace ringmaster::launcher
