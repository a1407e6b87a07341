// SPDX-License-Identifier: Apache-2.0
#include "launcher/pmi/space.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>

#include "base/random.h"

namespace ringmaster::launcher::pmi {
namespace {

/// What an action comes to, as a line of a story.
std::string told(const Action& action) {
  if (const auto* send = std::get_if<Send>(&action)) {
    return fmt::format("{}< {}", send->rank, send->text.substr(0, send->text.size() - 1));
  }
  if (const auto* abort = std::get_if<Abort>(&action)) {
    return fmt::format("{} aborts {}", abort->rank, abort->code);
  }
  if (const auto* fail = std::get_if<Fail>(&action)) {
    return fmt::format("{} fails: {}", fail->rank, fail->words);
  }
  return std::get<Say>(action).words;
}

std::vector<std::string> say(Space& space, int rank, std::string_view line) {
  std::vector<std::string> story;
  for (const Action& action : space.on_line(rank, line)) story.push_back(told(action));
  return story;
}

using Story = std::vector<std::string>;
constexpr const char* kInit = "cmd=init pmi_version=1 pmi_subversion=1";

Space started(int ranks) {
  Space space(ranks, "kvs", "(vector,(0,1,2))");
  for (int rank = 0; rank < ranks; ++rank) space.on_line(rank, kInit);
  return space;
}

TEST(PmiSpace, AnswersAsTheProtocolSays) {
  Space space(2, "kvs", "(vector,(0,1,2))");
  EXPECT_EQ(say(space, 0, kInit),
            Story{"0< cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0"});
  EXPECT_EQ(say(space, 0, "cmd=get_maxes"),
            Story{"0< cmd=maxes rc=0 kvsname_max=256 keylen_max=64 vallen_max=1024"});
  EXPECT_EQ(say(space, 0, "cmd=get_my_kvsname"), Story{"0< cmd=my_kvsname rc=0 kvsname=kvs"});
  EXPECT_EQ(say(space, 0, "cmd=get_universe_size"), Story{"0< cmd=universe_size rc=0 size=2"});
  EXPECT_EQ(say(space, 0, "cmd=get_appnum"), Story{"0< cmd=appnum rc=0 appnum=0"});
  EXPECT_EQ(say(space, 0, "cmd=get kvsname=kvs key=PMI_process_mapping"),
            Story{"0< cmd=get_result rc=0 msg=success value=(vector,(0,1,2))"});
  EXPECT_TRUE(space.inside(0));
  EXPECT_FALSE(space.inside(1));
  EXPECT_EQ(say(space, 0, "cmd=finalize"), Story{"0< cmd=finalize_ack rc=0"});
  EXPECT_FALSE(space.inside(0));
}

TEST(PmiSpace, WhatOneRankPutsAnotherGets) {
  Space space = started(2);
  EXPECT_EQ(say(space, 1, "cmd=get kvsname=kvs key=P0"),
            Story{"1< cmd=get_result rc=-1 msg=key_not_found"});
  EXPECT_EQ(say(space, 0, "cmd=put kvsname=kvs key=P0 value=a=b$c#"),
            Story{"0< cmd=put_result rc=0 msg=success"});
  EXPECT_EQ(say(space, 1, "cmd=get kvsname=kvs key=P0"),
            Story{"1< cmd=get_result rc=0 msg=success value=a=b$c#"});
  EXPECT_EQ(say(space, 1, "cmd=get kvsname=other key=P0"),
            Story{"1< cmd=get_result rc=-1 msg=key_not_found"});
  EXPECT_EQ(say(space, 1, "cmd=put kvsname=kvs key=P0 value=" + std::string(1025, 'x')),
            Story{"1< cmd=put_result rc=-1 msg=value_is_too_long"});
  EXPECT_EQ(say(space, 1, "cmd=put kvsname=kvs key=PMI_process_mapping value=x"),
            Story{"1< cmd=put_result rc=-1 msg=the_launcher_sets_this_key"});
}

TEST(PmiSpace, ABarrierOpensWhenTheLastIsIn) {
  Space space = started(3);
  EXPECT_EQ(say(space, 2, "cmd=barrier_in"), Story{});
  EXPECT_EQ(say(space, 0, "cmd=barrier_in"), Story{});
  const Story out = {"0< cmd=barrier_out rc=0", "1< cmd=barrier_out rc=0",
                     "2< cmd=barrier_out rc=0"};
  EXPECT_EQ(say(space, 1, "cmd=barrier_in"), out);
  EXPECT_EQ(say(space, 1, "cmd=barrier_in"), Story{});
  EXPECT_EQ(say(space, 1, "cmd=barrier_in"),
            Story{"1 fails: entered a PMI barrier that it was in already"});
}

TEST(PmiSpace, NobodyWaitsForARankThatHasEnded) {
  Space early = started(2);
  EXPECT_TRUE(early.on_ended(0).empty());
  EXPECT_EQ(say(early, 1, "cmd=barrier_in"),
            Story{"1 fails: waits in MPI for rank 0, which has ended"});
  Space late = started(2);
  EXPECT_EQ(say(late, 1, "cmd=barrier_in"), Story{});
  ASSERT_EQ(late.on_ended(0).size(), 1U);
}

TEST(PmiSpace, AnAbortSaysItsCode) {
  Space space = started(1);
  EXPECT_EQ(say(space, 0, "cmd=abort exitcode=7"), Story{"0 aborts 7"});
  EXPECT_EQ(say(space, 0, "cmd=abort exitcode=0"), Story{"0 aborts 0"});
  EXPECT_EQ(say(space, 0, "cmd=abort exitcode=256"), Story{"0 aborts 256"});
  EXPECT_EQ(say(space, 0, "cmd=abort exitcode=-1"), Story{"0 aborts -1"});
  EXPECT_EQ(say(space, 0, "cmd=abort exitcode=99999999999"), Story{"0 aborts 1"});
  EXPECT_EQ(say(space, 0, "cmd=abort"), Story{"0 aborts 1"});
}

TEST(PmiSpace, ASpawnOfTwoProgramsIsRefusedOnce) {
  Space space = started(2);
  for (const char* number : {"1", "2"}) {
    for (const char* line : {"mcmd=spawn", "nprocs=1", "execname=/bin/x", "totspawns=2"}) {
      EXPECT_EQ(say(space, 1, line), Story{});
    }
    EXPECT_EQ(say(space, 1, std::string("spawnssofar=") + number), Story{});
    const Story end = say(space, 1, "endcmd");
    if (std::string(number) == "1") {
      EXPECT_EQ(end, Story{});
    } else {
      ASSERT_EQ(end.size(), 2U);
      EXPECT_EQ(end[1], "1< cmd=spawn_result rc=-1 msg=not_supported");
    }
  }
}

TEST(PmiSpace, PublishedNamesAreFoundOnceAndTaken) {
  Space space = started(2);
  EXPECT_EQ(say(space, 0, "cmd=lookup_name service=s"),
            Story{"0< cmd=lookup_result rc=-1 info=failed msg=refused"});
  say(space, 0, "cmd=publish_name service=s port=p:1");
  EXPECT_EQ(say(space, 1, "cmd=lookup_name service=s"),
            Story{"1< cmd=lookup_result rc=0 info=ok msg=success port=p:1"});
  EXPECT_EQ(say(space, 1, "cmd=publish_name service=s port=q"),
            Story{"1< cmd=publish_result rc=-1 info=failed msg=refused"});
  EXPECT_EQ(say(space, 1, "cmd=unpublish_name service=s"),
            Story{"1< cmd=unpublish_result rc=0 info=ok msg=success"});
}

TEST(PmiSpace, StrangeLinesFailTheirRank) {
  for (const char* line : {"", "hello", "cmd", "x=1", "cmd=dance", "cmd=init pmi_version=2", "=1",
                           "cmd=get \x01=2", "\x7f"}) {
    Space space = started(2);
    const Story story = say(space, 1, line);
    ASSERT_FALSE(story.empty()) << line;
    EXPECT_EQ(story.back().substr(0, 9), "1 fails: ") << line;
  }
  Space space(1, "kvs", "");
  EXPECT_EQ(say(space, 0, "cmd=barrier_in"),
            Story{"0 fails: said \"barrier_in\" to PMI before its init"});
}

TEST(PmiSpace, TheSpaceIsBounded) {
  Space space = started(1);
  const std::string value(kValueMax, 'x');
  std::size_t stored = 0;
  for (int key = 0; key < 100000; ++key) {
    const auto answer =
        say(space, 0, fmt::format("cmd=put kvsname=kvs key={} value={}", key, value));
    if (answer != Story{"0< cmd=put_result rc=0 msg=success"}) break;
    stored += value.size();
  }
  EXPECT_LE(stored, kSpaceBytesMax);
  EXPECT_GT(stored, kSpaceBytesMax * 9 / 10);
  EXPECT_EQ(say(space, 0, "cmd=put kvsname=kvs key=0 value=y"),
            Story{"0< cmd=put_result rc=0 msg=success"})
      << "a smaller value in the place of a larger one fits";
}

/// Whatever order ranks speak in: every put is found by all after the barrier that follows it, and
/// each barrier lets all out once.
TEST(PmiSpace, RanksInAnyOrderMeet) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Random random(seed);
    const int ranks = 1 + static_cast<int>(random.below(9));
    Space space = started(ranks);
    std::map<int, int> rounds;  // of each rank
    std::vector<bool> waits(static_cast<std::size_t>(ranks));
    for (int turn = 0; turn < 400; ++turn) {
      const int rank = static_cast<int>(random.below(static_cast<std::uint64_t>(ranks)));
      if (waits[static_cast<std::size_t>(rank)]) continue;
      for (int other = 0; other < ranks && rounds[rank] > 0; ++other) {
        const auto found = say(
            space, rank, fmt::format("cmd=get kvsname=kvs key=k{}-{}", other, rounds[rank] - 1));
        ASSERT_EQ(found[0],
                  fmt::format("{}< cmd=get_result rc=0 msg=success value={}", rank, other))
            << "seed " << seed;
      }
      say(space, rank,
          fmt::format("cmd=put kvsname=kvs key=k{0}-{1} value={0}", rank, rounds[rank]));
      waits[static_cast<std::size_t>(rank)] = true;
      for (const Action& action : space.on_line(rank, "cmd=barrier_in")) {
        const int out = std::get<Send>(action).rank;
        ASSERT_TRUE(waits[static_cast<std::size_t>(out)]);
        waits[static_cast<std::size_t>(out)] = false;
        ++rounds[out];
      }
    }
    EXPECT_GT(rounds[0], 0);
  }
}

TEST(PmiSpace, AThousandRanksCostAThousandTimesOne) {
  constexpr int kRanks = 4000;
  Space space = started(kRanks);
  const auto begin = std::chrono::steady_clock::now();
  std::size_t answers = 0;
  for (int round = 0; round < 5; ++round) {
    for (int rank = 0; rank < kRanks; ++rank) {
      answers +=
          space.on_line(rank, fmt::format("cmd=put kvsname=kvs key=P{} value=x", rank)).size();
      answers += space.on_line(rank, "cmd=barrier_in").size();
    }
  }
  EXPECT_EQ(answers, 5U * 2 * kRanks);
  // 40,000 lines: 0.1 s. Work that grew with the square of the ranks would be 160 million of them.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST(PmiSpace, TheMappingNamesBlocksOfHosts) {
  EXPECT_EQ(process_mapping_of({0, 0, 0, 0}), "(vector,(0,1,4))");
  EXPECT_EQ(process_mapping_of({0, 0, 1, 1}), "(vector,(0,2,2))");
  EXPECT_EQ(process_mapping_of({0, 0, 0, 1, 2}), "(vector,(0,1,3),(1,2,1))");
  EXPECT_EQ(process_mapping_of({0, 1, 0, 1}), "(vector,(0,2,1),(0,2,1))");
  std::vector<int> woven;
  for (int i = 0; i < 300; ++i) woven.insert(woven.end(), {0, 7});
  EXPECT_EQ(process_mapping_of(woven), "") << "too long for a value";
}

}  // namespace
}  // namespace ringmaster::launcher::pmi
