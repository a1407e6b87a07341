// SPDX-License-Identifier: Apache-2.0
#include "launcher/mapping/bind_ranks.h"

#include <gtest/gtest.h>

#include "launcher/hostlist/formats.h"

namespace ringmaster::launcher::mapping {
namespace {

/// Two sockets with two cores of two threads, numbered as many machines do: second threads last.
HostRoom two_sockets() {
  HostRoom room;
  for (int core = 0; core < 4; ++core) {
    room.cores.push_back({{core, core + 4}, core / 2, core / 2});
  }
  return room;
}

Binding bound(Bind bind, int ranks, MapOptions options = {}) {
  const auto list = read_host_list(*hostlist::find_format("openmpi"), {.list = {"l", "a slots=9"}});
  const Rooms rooms = {{"a", two_sockets()}};
  options.ranks = ranks;
  const auto map = map_ranks(*list, rooms, options);
  CHECK(map.ok());
  return bind_ranks(bind, *map, rooms, options);
}

TEST(BindRanks, CoresInTurns) {
  EXPECT_EQ(bound(Bind::core, 3), (Binding{{0, 4}, {1, 5}, {2, 6}}));
  EXPECT_EQ(bound(Bind::core, 6), (Binding{{0, 4}, {1, 5}, {2, 6}, {3, 7}, {0, 4}, {1, 5}}));
  EXPECT_EQ(bound(Bind::core, 3, {.policy = Policy::numa}), (Binding{{0, 4}, {2, 6}, {1, 5}}));
}

TEST(BindRanks, DomainsInTurns) {
  const Binding turns = {{0, 1, 4, 5}, {2, 3, 6, 7}, {0, 1, 4, 5}};
  EXPECT_EQ(bound(Bind::numa, 3), turns);
  EXPECT_EQ(bound(Bind::numa, 3, {.policy = Policy::numa}), turns);
}

TEST(BindRanks, CoresOfTheirOwn) {
  const MapOptions two = {.cores_per_rank = 2};
  EXPECT_EQ(bound(Bind::automatic, 2, two), (Binding{{0, 1, 4, 5}, {2, 3, 6, 7}}));
  EXPECT_EQ(bound(Bind::core, 2, two), bound(Bind::automatic, 2, two));
  EXPECT_EQ(bound(Bind::none, 2, two), (Binding{{}, {}}));
  EXPECT_EQ(bound(Bind::numa, 1, {.cores_per_rank = 3}), (Binding{{0, 1, 2, 3, 4, 5, 6, 7}}));
  const MapOptions shared = {.cores_per_rank = 3, .oversubscribe = true};
  EXPECT_EQ(bound(Bind::automatic, 2, shared), (Binding{{}, {}}));
  EXPECT_EQ(bound(Bind::core, 2, shared), (Binding{{0, 1, 2, 4, 5, 6}, {0, 1, 3, 4, 5, 7}}));
}

TEST(BindRanks, WithoutAWishOnlyWhatTheMapChose) {
  EXPECT_EQ(bound(Bind::automatic, 2), (Binding{{}, {}}));
  EXPECT_EQ(bound(Bind::automatic, 2, {.policy = Policy::numa}),
            (Binding{{0, 1, 4, 5}, {2, 3, 6, 7}}));
}

TEST(BindRanks, HostsThatWereNotLookedAtAreNotBound) {
  const auto list = read_host_list(*hostlist::find_format("openmpi"), {.list = {"l", "a slots=1"}});
  const auto map = map_ranks(*list, {}, {});
  EXPECT_EQ(bind_ranks(Bind::core, *map, {}, {}), (Binding{{}}));
  EXPECT_EQ(bind_ranks(Bind::core, *map, {{"a", {.gpus = 1}}}, {}), (Binding{{}}));
}

TEST(BindRanks, NumbersAreSaidInRanges) {
  EXPECT_EQ(numbers_text({0, 1, 2, 5, 7, 8}), "0-2,5,7-8");
  EXPECT_EQ(numbers_text({}), "");
}

}  // namespace
}  // namespace ringmaster::launcher::mapping
