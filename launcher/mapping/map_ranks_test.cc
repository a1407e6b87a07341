// SPDX-License-Identifier: Apache-2.0
#include "launcher/mapping/map_ranks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <set>

#include "base/random.h"
#include "launcher/hostlist/formats.h"

namespace ringmaster::launcher::mapping {
namespace {

using hostlist::HostList;

HostList list_of(const std::string& text, const std::string& format = "openmpi") {
  auto list = read_host_list(*hostlist::find_format(format), {.list = {"list", text}});
  CHECK(list.ok());
  return std::move(*list);
}

/// The hosts of the ranks in order: "a a b".
std::string hosts_in_order(const Result<RankMap>& map) {
  if (!map) return map.error().message;
  std::string text;
  for (const Placement& place : map->ranks) text += (text.empty() ? "" : " ") + place.host;
  return text;
}

/// A host of so many domains of so many cores, numbered through.
HostRoom room_of(int domains, int cores) {
  HostRoom room;
  for (int domain = 0; domain < domains; ++domain) {
    for (int i = 0; i < cores; ++i) room.cores.push_back({{domain * cores + i}, domain, domain});
  }
  return room;
}

std::string cores_in_order(const Result<RankMap>& map) {
  if (!map) return map.error().message;
  std::string text;
  for (const Placement& place : map->ranks) {
    text += fmt::format("{}{}", text.empty() ? "" : " ", fmt::join(place.cores, "+"));
  }
  return text;
}

TEST(MapRanks, BySlotFillsHostsInTheirOrder) {
  const HostList list = list_of("a slots=2\nb slots=3\nc slots=1\n");
  EXPECT_EQ(hosts_in_order(map_ranks(list, {}, {})), "a a b b b c");
  EXPECT_EQ(hosts_in_order(map_ranks(list, {}, {.ranks = 3})), "a a b");
}

TEST(MapRanks, ByNodeGivesOneToEachHostInTurn) {
  const HostList list = list_of("a slots=1\nb slots=3\nc slots=2\n");
  EXPECT_EQ(hosts_in_order(map_ranks(list, {}, {.policy = Policy::node})), "a b c b c b");
  EXPECT_EQ(hosts_in_order(map_ranks(list, {}, {.policy = Policy::node, .ranks = 4})), "a b c b");
}

TEST(MapRanks, AHostThatComesAgainIsFilledAgain) {
  const HostList list = list_of("a:1\nb:1\na:2\n", "hydra");
  const auto map = map_ranks(list, {}, {});
  EXPECT_EQ(hosts_in_order(map), "a b a a");
  EXPECT_EQ(map->ranks[2].local_rank, 1);
  EXPECT_EQ(map->ranks[3].slot, 2);
  EXPECT_EQ(hosts_in_order(map_ranks(list, {}, {.policy = Policy::node})), "a b a a");
}

// As Open MPI 4.1.4 does: the surplus goes to the hosts in turn, and a host's ranks are neighbours.
TEST(MapRanks, SharedSlotsAreSpreadOverTheHosts) {
  const auto shared = [](const std::string& text, int ranks, Policy policy = Policy::slot) {
    return hosts_in_order(
        map_ranks(list_of(text), {}, {.policy = policy, .ranks = ranks, .oversubscribe = true}));
  };
  EXPECT_EQ(shared("a slots=2\nb slots=2\n", 8), "a a a a b b b b");
  EXPECT_EQ(shared("a slots=2\nb slots=2\n", 7), "a a a a b b b");
  EXPECT_EQ(shared("a slots=1\nb slots=3\n", 8), "a a a b b b b b");
  EXPECT_EQ(shared("a slots=2\nb slots=2\n", 6, Policy::node), "a b a b a b");
  EXPECT_EQ(shared("a slots=1 max_slots=2\nb slots=1\n", 6), "a a b b b b");
  EXPECT_EQ(shared("a slots=0\nb slots=1\n", 3), "b b b");
}

TEST(MapRanks, TooFewSlotsAreSaidInOneLine) {
  const HostList list = list_of("a slots=1\nb slots=1 max_slots=2\n");
  const auto few = map_ranks(list, {}, {.ranks = 20});
  ASSERT_FALSE(few.ok());
  EXPECT_EQ(few.error().code, Errc::exhausted);
  EXPECT_EQ(few.error().message,
            "place 20 ranks: 2 hosts have 2 slots (ask for at most 2, name more hosts, or "
            "--oversubscribe)");
  const HostList limited = list_of("a slots=1 max_slots=3\nb slots=1 max_slots=2\n");
  const auto limit = map_ranks(limited, {}, {.ranks = 6, .oversubscribe = true});
  ASSERT_FALSE(limit.ok());
  EXPECT_EQ(limit.error().message,
            "place 6 ranks: the hosts' limits leave room for 5 (raise max_slots, or name more "
            "hosts)");
  EXPECT_FALSE(map_ranks(list, {}, {.ranks = -1}).ok());
  EXPECT_FALSE(map_ranks(list, {}, {.ranks = kRanksMax + 1}).ok());
}

TEST(MapRanks, HostsWithoutANumberHaveWhatTheyHave) {
  const HostList list = list_of("a\nb\nc slots=1\n");
  Rooms rooms = {{"a", room_of(1, 3)}, {"b", room_of(1, 8)}};
  rooms["b"].gpus = 2;
  EXPECT_EQ(hosts_in_order(map_ranks(list, rooms, {})), "a a a b b c");
  EXPECT_EQ(
      hosts_in_order(map_ranks(list_of("a\n"), {{"a", room_of(1, 7)}}, {.cores_per_rank = 3})),
      "a a");
  const auto unknown = map_ranks(list, {}, {});
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().message.find("a: how many slots it has is not known"),
            std::string::npos);
}

TEST(MapRanks, UnevenHostsHaveRightLocalAndCrossRanks) {
  const auto map = map_ranks(list_of("a slots=3\nb slots=5\nc slots=1\n"), {}, {});
  ASSERT_TRUE(map.ok());
  std::string text;
  for (const Placement& place : map->ranks) {
    text += fmt::format(" {}{}/{}:{}/{}", place.host, place.local_rank, place.local_size,
                        place.cross_rank, place.cross_size);
  }
  EXPECT_EQ(text,
            " a0/3:0/3 a1/3:0/2 a2/3:0/2"
            " b0/5:1/3 b1/5:1/2 b2/5:1/2 b3/5:0/1 b4/5:0/1"
            " c0/1:2/3");
  EXPECT_EQ(map->hosts, 3);
  EXPECT_FALSE(map->oversubscribed);
}

TEST(MapRanks, CoresAreNeighboursOrOfDomainsInTurn) {
  const HostList list = list_of("a slots=4\n");
  const Rooms rooms = {{"a", room_of(2, 4)}};
  EXPECT_EQ(cores_in_order(map_ranks(list, rooms, {.cores_per_rank = 2})), "0+1 2+3 4+5 6+7");
  EXPECT_EQ(cores_in_order(map_ranks(list, rooms, {.policy = Policy::numa, .cores_per_rank = 2})),
            "0+1 4+5 2+3 6+7");
  const auto domains = map_ranks(list, rooms, {.policy = Policy::numa, .ranks = 3});
  ASSERT_TRUE(domains.ok());
  EXPECT_EQ(domains->ranks[1].domain, 1);
  EXPECT_EQ(domains->ranks[2].domain, 0);
  EXPECT_TRUE(domains->ranks[0].cores.empty());
  EXPECT_EQ(cores_in_order(map_ranks(list_of("a slots=2\n"), {{"a", room_of(2, 3)}},
                                     {.policy = Policy::numa, .cores_per_rank = 3})),
            "0+1+2 3+4+5");
  // Two domains of three cores: the third rank has one of each.
  EXPECT_EQ(cores_in_order(map_ranks(list_of("a slots=3\n"), {{"a", room_of(2, 3)}},
                                     {.policy = Policy::numa, .cores_per_rank = 2})),
            "0+1 3+4 2+5");
}

TEST(MapRanks, TooFewCoresAreSaidOrShared) {
  const HostList list = list_of("a slots=4\n");
  const Rooms rooms = {{"a", room_of(1, 6)}};
  const auto few = map_ranks(list, rooms, {.cores_per_rank = 2});
  ASSERT_FALSE(few.ok());
  EXPECT_EQ(few.error().code, Errc::exhausted);
  EXPECT_EQ(few.error().message,
            "place 4 ranks of 2 cores on a: it has 6 cores (ask for fewer, or --oversubscribe)");
  const auto shared = map_ranks(list, rooms, {.cores_per_rank = 2, .oversubscribe = true});
  ASSERT_TRUE(shared.ok());
  for (const Placement& place : shared->ranks) {
    EXPECT_TRUE(place.cores.empty()) << "none of its own rather than only some of them";
  }
  const auto unseen = map_ranks(list, {}, {.policy = Policy::numa, .cores_per_rank = 2});
  ASSERT_TRUE(unseen.ok()) << "cores of a host that was not looked at are chosen there";
  EXPECT_TRUE(unseen->ranks[0].cores.empty());
}

TEST(MapRanks, AQuotaLeavesFewerSlotsThanThereAreCores) {
  Rooms rooms = {{"a", room_of(1, 8)}};
  rooms["a"].quota = 3;
  EXPECT_EQ(hosts_in_order(map_ranks(list_of("a\n"), rooms, {})), "a a a");
  EXPECT_EQ(hosts_in_order(map_ranks(list_of("a\n"), rooms, {.cores_per_rank = 2})), "a");
}

TEST(MapRanks, DomainsAreSharedWhenRanksOutnumberTheirCores) {
  const auto map =
      map_ranks(list_of("a slots=6\n"), {{"a", room_of(2, 2)}}, {.policy = Policy::numa});
  ASSERT_TRUE(map.ok());
  std::string domains;
  for (const Placement& place : map->ranks) domains += fmt::format("{}", *place.domain);
  EXPECT_EQ(domains, "010101");
}

TEST(MapRanks, GpusThatWereKeptAreTheSlots) {
  const hostlist::Question question{.list = {"list", "a slots=4\nb slots=2\n"},
                                    .args = hostlist::Source{"--args", "--exclude a:0,2"}};
  const auto list = read_host_list(*hostlist::find_format("deepspeed"), question);
  const auto map = map_ranks(*list, {}, {});
  ASSERT_TRUE(map.ok());
  EXPECT_EQ(map->ranks[0].slot, 1);
  EXPECT_EQ(map->ranks[1].slot, 3);
  EXPECT_EQ(map->ranks[2].slot, 0);
}

/// Lists and wishes made from a seed; the order that each policy means, one rank after the other.
class RandomMaps : public testing::TestWithParam<int> {
 protected:
  RandomMaps() : random_(static_cast<std::uint64_t>(GetParam())) {
    const std::uint64_t entries = 1 + random_.below(8);
    for (std::uint64_t i = 0; i < entries; ++i) {
      hostlist::HostEntry entry{.host = fmt::format("h{}", random_.below(6))};
      entry.slots = static_cast<int>(random_.below(5));
      list_.hosts.push_back(entry);
      rooms_.emplace(entry.host, room_of(1 + static_cast<int>(random_.below(3)), 12));
      slots_of_[entry.host] += *entry.slots;
      all_ += *entry.slots;
    }
  }

  /// By slot: the entries' slots one by one. By node: a lap over the hosts, again and again.
  std::string expected(Policy policy, int ranks) const {
    std::vector<std::string> order;
    std::map<std::string, int> left = slots_of_;
    while (policy == Policy::node && static_cast<int>(order.size()) < all_) {
      std::set<std::string> had;
      for (const auto& entry : list_.hosts) {
        if (!had.insert(entry.host).second || left[entry.host] == 0) continue;
        --left[entry.host];
        order.push_back(entry.host);
      }
    }
    for (const auto& entry : list_.hosts) {
      for (int i = 0; policy != Policy::node && i < *entry.slots; ++i) order.push_back(entry.host);
    }
    order.resize(static_cast<std::size_t>(ranks));
    return fmt::format("{}", fmt::join(order, " "));
  }

  Random random_;
  HostList list_;
  Rooms rooms_;
  std::map<std::string, int> slots_of_;
  int all_ = 0;
};

TEST_P(RandomMaps, EachRankHasOnePlaceAndNoSlotOrCoreIsUsedTwice) {
  if (all_ == 0) {
    EXPECT_FALSE(map_ranks(list_, rooms_, {}).ok());
    return;
  }
  for (const Policy policy : {Policy::slot, Policy::node, Policy::numa}) {
    const int ranks = 1 + static_cast<int>(random_.below(static_cast<std::uint64_t>(all_)));
    const auto map =
        map_ranks(list_, rooms_, {.policy = policy, .ranks = ranks, .cores_per_rank = 1});
    EXPECT_EQ(hosts_in_order(map), expected(policy, ranks));
    std::set<std::pair<std::string, int>> slots, cores, locals;
    for (int rank = 0; rank < ranks; ++rank) {
      const Placement& place = map->ranks[static_cast<std::size_t>(rank)];
      EXPECT_EQ(place.rank, rank);
      EXPECT_TRUE(slots.emplace(place.host, place.slot).second);
      EXPECT_LT(place.slot, slots_of_[place.host]);
      EXPECT_TRUE(locals.emplace(place.host, place.local_rank).second);
      EXPECT_LT(place.local_rank, place.local_size);
      EXPECT_LT(place.cross_rank, place.cross_size);
      ASSERT_EQ(place.cores.size(), 1U);
      EXPECT_TRUE(cores.emplace(place.host, place.cores[0]).second);
    }
  }
}

TEST_P(RandomMaps, SharingIsEvenAndWithinLimits) {
  for (auto& entry : list_.hosts) {
    if (random_.chance(0.5)) entry.max = slots_of_[entry.host] + static_cast<int>(random_.below(4));
  }
  std::map<std::string, int> most, got;
  for (const auto& entry : list_.hosts) {
    const int max = entry.max.value_or(kRanksMax);
    const auto at = most.emplace(entry.host, max).first;
    at->second = std::min(at->second, max);
  }
  const int ranks = all_ + 1 + static_cast<int>(random_.below(20));
  const auto map = map_ranks(list_, rooms_, {.ranks = ranks, .oversubscribe = true});
  long long room = 0;
  for (const auto& [host, max] : most) room += slots_of_[host] == 0 ? 0 : max;
  ASSERT_EQ(map.ok(), ranks <= room);
  if (!map) return;
  EXPECT_TRUE(map->oversubscribed);
  for (const Placement& place : map->ranks) ++got[place.host];
  // Nobody has two above its slots more than one that could have had more.
  for (const auto& [host, count] : got) {
    EXPECT_LE(count, most[host]);
    EXPECT_LE(slots_of_[host], count);
    for (const auto& [other, others] : got) {
      if (others == most[other]) continue;
      EXPECT_LE(count - slots_of_[host], others - slots_of_[other] + 1);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomMaps, testing::Range(0, 100));

}  // namespace
}  // namespace ringmaster::launcher::mapping
