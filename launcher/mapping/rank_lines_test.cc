// SPDX-License-Identifier: Apache-2.0
#include "launcher/mapping/rank_lines.h"

#include <gtest/gtest.h>

#include "launcher/hostlist/formats.h"

namespace ringmaster::launcher::mapping {
namespace {

hostlist::HostList ranked(const std::string& ranks, const std::string& hosts) {
  hostlist::Question question{.list = {"ranks", ranks}};
  if (!hosts.empty()) question.second = hostlist::Source{"hosts", hosts};
  auto list = read_host_list(*hostlist::find_format("rankfile"), question);
  CHECK(list.ok());
  return std::move(*list);
}

const Rooms kTwoPackages = {
    {"a", {.cores = {{{10}, 0, 0}, {{11}, 0, 0}, {{12}, 1, 1}, {{13}, 1, 1}}, .gpus = 0}}};

TEST(RankLines, RanksAreWhereTheFilePutsThem) {
  const auto map = map_ranks(
      ranked("rank 1=a slot=1:0-1\nrank 0=+n1\nrank 2=a slot=1,0-1\n", "a slots=2\nb slots=1\n"),
      kTwoPackages, {});
  ASSERT_TRUE(map.ok()) << map.error().message;
  EXPECT_EQ(map->ranks[0].host, "b");
  EXPECT_TRUE(map->ranks[0].cores.empty());
  EXPECT_EQ(map->ranks[1].cores, (std::vector<int>{12, 13}));
  EXPECT_EQ(map->ranks[2].cores, (std::vector<int>{10, 11}));
  EXPECT_EQ(map->ranks[2].local_rank, 1);
  EXPECT_EQ(map->ranks[2].slot, 1);
}

TEST(RankLines, FewerRanksThanLinesMoreNever) {
  const auto list = ranked("rank 0=a\nrank 1=b\n", "");
  EXPECT_EQ(map_ranks(list, {}, {.ranks = 1})->ranks.size(), 1U);
  const auto more = map_ranks(list, {}, {.ranks = 3});
  ASSERT_FALSE(more.ok());
  EXPECT_EQ(more.error().message,
            "place 3 ranks: the rank file has 2 (add lines, or ask for fewer)");
}

TEST(RankLines, SlotsAndLimitsHold) {
  const std::string ranks = "rank 0=a\nrank 1=a\n";
  const auto few = map_ranks(ranked(ranks, "a slots=1\n"), {}, {});
  ASSERT_FALSE(few.ok());
  EXPECT_EQ(few.error().code, Errc::exhausted);
  EXPECT_EQ(few.error().message,
            "place 2 ranks on a: it has 1 slots (move ranks to another host, or --oversubscribe)");
  EXPECT_TRUE(map_ranks(ranked(ranks, "a slots=1\n"), {}, {.oversubscribe = true})->oversubscribed);
  EXPECT_FALSE(
      map_ranks(ranked(ranks, "a slots=1 max_slots=1\n"), {}, {.oversubscribe = true}).ok());
  EXPECT_FALSE(
      map_ranks(ranked(ranks, "a slots=0\nb slots=1\n"), {}, {.oversubscribe = true}).ok());
  EXPECT_TRUE(map_ranks(ranked(ranks, "a\n"), {}, {}).ok()) << "nobody knows better";
  EXPECT_FALSE(map_ranks(ranked(ranks, "a\n"), {{"a", {.gpus = 1}}}, {}).ok());
}

TEST(RankLines, CoresThatAreNotThereAreSaid) {
  const auto none = map_ranks(ranked("rank 0=a slot=2-4\n", ""), kTwoPackages, {});
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().message,
            "place rank 0 on cores 2-4 of a: a core is a whole number from 2 to 3, and \"4\" is "
            "not");
  EXPECT_FALSE(map_ranks(ranked("rank 0=a slot=2:0\n", ""), kTwoPackages, {}).ok());
  EXPECT_EQ(map_ranks(ranked("rank 0=a slot=*\n", ""), kTwoPackages, {})->ranks[0].cores.size(),
            4U);
}

TEST(RankLines, ACoreIsGivenOnceUnlessItMayBeShared) {
  const auto list = ranked("rank 0=a slot=0-1\nrank 1=b slot=1\nrank 2=a slot=1\n", "");
  const auto twice = map_ranks(list, kTwoPackages, {});
  ASSERT_FALSE(twice.ok());
  EXPECT_EQ(twice.error().message,
            "place rank 2 on cores 1 of a: rank 0 has one of them already (name others, or "
            "--oversubscribe)");
  EXPECT_EQ(map_ranks(list, kTwoPackages, {.oversubscribe = true})->ranks[2].cores,
            std::vector<int>{11});
}

TEST(RankLines, NoOtherRuleBesideTheFile) {
  const auto list = ranked("rank 0=a\n", "");
  EXPECT_FALSE(map_ranks(list, {}, {.policy = Policy::node}).ok());
  EXPECT_FALSE(map_ranks(list, {}, {.cores_per_rank = 1}).ok());
}

}  // namespace
}  // namespace ringmaster::launcher::mapping
