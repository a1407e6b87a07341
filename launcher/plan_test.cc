// SPDX-License-Identifier: Apache-2.0
//
// Plans from random lists and wishes, and the errors that people meet.
#include "launcher/plan.h"
#include "launcher/contracts/contracts.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/random.h"

namespace ringmaster::launcher {
namespace {

/// Four cores of two threads in two domains.
HostFacts this_host(int gpus = 0) {
  HostFacts host{.name = "here", .cpus = 8, .gpus = gpus};
  for (int core = 0; core < 4; ++core) {
    host.cores.push_back({{core, core + 4}, core / 2, core / 2});
  }
  return host;
}

Result<Plan> planned(const RunSettings& settings, int ranks, const HostChoice& hosts = {},
                     int gpus = 0) {
  return make_plan(settings, {{.command = {"a"}, .ranks = ranks}}, this_host(gpus), hosts);
}

std::string refused(const RunSettings& settings, int ranks, const HostChoice& hosts = {},
                    int gpus = 0) {
  const auto plan = planned(settings, ranks, hosts, gpus);
  return plan.ok() ? "" : plan.error().message;
}

HostChoice listed(std::vector<hostlist::HostEntry> entries) {
  return {.list = hostlist::HostList{.hosts = std::move(entries)}, .here = "me"};
}

TEST(Plan, WithoutANumberThereIsARankForEachCoreOrGpuOrSlot) {
  EXPECT_EQ(planned({}, 0)->spec.ranks_max, 4);
  EXPECT_EQ(planned({}, 0, {}, 3)->spec.ranks_max, 3);
  EXPECT_EQ(planned({.cores_per_rank = 2}, 0)->spec.ranks_max, 2);
  EXPECT_EQ(planned({}, 0, listed({{.host = "me"}, {.host = "n1", .slots = 5}}))->spec.ranks_max,
            9);
  HostFacts limited = this_host();
  limited.cpus = 1;
  EXPECT_EQ(make_plan({}, {{.command = {"a"}}}, limited, {})->spec.ranks_max, 1) << "by a quota";
}

TEST(Plan, TheGraceIsThirtySecondsAndFiveAfterAnInterrupt) {
  EXPECT_EQ(planned({}, 1)->spec.grace, std::chrono::seconds(30));
  EXPECT_EQ(planned({}, 1)->interrupt_grace, std::chrono::seconds(5));
  const auto given = planned({.grace_seconds = 0.5}, 1);
  EXPECT_EQ(given->spec.grace, std::chrono::milliseconds(500));
  EXPECT_EQ(given->interrupt_grace, std::chrono::milliseconds(500));
}

TEST(Plan, MoreRanksThanCoresAreSaidHereAndRefusedAboveSomebodysCount) {
  EXPECT_EQ(planned({}, 20)->remarks, std::vector<std::string>{"20 ranks share 8 processors"});
  EXPECT_EQ(refused({}, 20, listed({{.host = "me", .slots = 2}})),
            "place 20 ranks: me has 2 slots (ask for at most 2, name more hosts, or "
            "--oversubscribe)");
  EXPECT_TRUE(planned({.oversubscribe = true}, 20, listed({{.host = "me", .slots = 2}})).ok());
  EXPECT_EQ(refused({}, 4, {}, 3),
            "4 ranks, but here has 3 GPUs: --oversubscribe lets ranks share them");
  EXPECT_TRUE(planned({.oversubscribe = true}, 4, {}, 3).ok());
  EXPECT_EQ(refused({}, 4, listed({{.host = "me", .slots = 9}}), 3),
            "4 ranks, but me has 3 GPUs: --oversubscribe lets ranks share them");
  EXPECT_EQ(planned({}, 20)->spec.ranks_max, 20);
  EXPECT_EQ(refused({.cores_per_rank = 2}, 3),
            "place 3 ranks of 2 cores on here: it has 4 cores (ask for fewer, or --oversubscribe)");
  EXPECT_EQ(refused({.cores_per_rank = 5}, 0).find("place 1 rank of 5 cores on here"), 0U);
}

TEST(Plan, CoresAreLookedAtOnlyWhereThePlanDependsOnThem) {
  EXPECT_FALSE(needs_cores({.program = {.ranks = 2}}, {}));
  EXPECT_FALSE(needs_cores({.elastic = "1:2"}, {}));
  EXPECT_TRUE(needs_cores({}, {}));
  EXPECT_TRUE(needs_cores({.program = {.ranks = 2}, .bind = "core"}, {}));
  EXPECT_TRUE(needs_cores({.program = {.ranks = 2}, .cores_per_rank = 1}, {}));
  EXPECT_FALSE(needs_cores({}, listed({{.host = "me", .slots = 2}, {.host = "n1"}})));
  EXPECT_TRUE(needs_cores({}, listed({{.host = "me"}})));
  HostChoice ranked = listed({{.host = "me", .slots = 1}});
  ranked.list->ranks = {{.rank = 0, .host = "me"}};
  EXPECT_FALSE(needs_cores({}, ranked));
  ranked.list->ranks.front().slots = "0";
  EXPECT_TRUE(needs_cores({}, ranked));
}

TEST(Plan, RanksThatShareACoreAreToldSo) {
  HostFacts narrow{.name = "here", .cpus = 1, .cores = {{.processors = {3}}}};
  const auto plan = make_plan({.bind = "core"}, {{.command = {"a"}, .ranks = 4}}, narrow, {});
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->remarks,
            std::vector<std::string>{"4 ranks share 1 core, to which they are bound in turn"});
  EXPECT_EQ(processors_of(*plan, 3), std::vector<int>{3});
}

TEST(Plan, BindingsAreReportedALineEach) {
  const auto hosts = listed({{.host = "me", .slots = 1}, {.host = "n1", .slots = 1}});
  EXPECT_EQ(planned({.bind = "core", .report_bindings = true}, 2, hosts)->remarks,
            (std::vector<std::string>{"rank 0 on me: bound to processors 0,4",
                                      "rank 1 on n1: not bound"}));
}

TEST(Plan, RanksOnOtherHostsCannotBeStarted) {
  const auto plan =
      planned({}, 2, listed({{.host = "me", .slots = 1}, {.host = "n1", .slots = 1}}));
  ASSERT_TRUE(plan.ok());
  const auto startable = check_startable(*plan);
  ASSERT_FALSE(startable.ok());
  EXPECT_EQ(startable.error().message,
            "start rank 1 on n1: ranks are started on this host only (take n1 out of the list, or "
            "look at the plan with --dry-run)");
  EXPECT_EQ(plan->master_address, "me");
  EXPECT_TRUE(check_startable(*planned({}, 2)).ok());
  EXPECT_EQ(planned({}, 2)->master_address, "");
  const auto unseen = planned({}, 0, {.list = hostlist::HostList{.hosts = {{.host = "n1"}}}});
  EXPECT_EQ(unseen.error().code, Errc::not_found);
}

TEST(Plan, SeveralProgramsAreNumberedThrough) {
  const std::vector<RankProgram> programs = {
      {.command = {"a"}, .ranks = 2, .variables = {{"A", "1"}, {"RANK", "x"}}},
      {.command = {"b", "c"}, .ranks = 1, .working_directory = "/"}};
  const auto plan = make_plan({}, programs, this_host(), {});
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(program_of(*plan, 1).command.front(), "a");
  EXPECT_EQ(program_of(*plan, 2).command.front(), "b");
  const auto json = nlohmann::json::parse(plan_json(*plan));
  EXPECT_EQ(json["ranks"][1]["env"]["RANK"], "x") << "the user's word is the last one";
  EXPECT_EQ(json["ranks"][2]["env"].count("A"), 0U);
  EXPECT_EQ(json["ranks"][2]["wdir"], "/");
  EXPECT_FALSE(make_plan({.elastic = "1:3"}, programs, this_host(), {}).ok());
}

/// A list that a seed makes, with this host in it at times, and what is asked of it.
class RandomPlans : public testing::TestWithParam<int> {
 protected:
  RandomPlans() : random_(static_cast<std::uint64_t>(GetParam())) {
    const std::uint64_t entries = 1 + random_.below(5);
    for (std::uint64_t i = 0; i < entries; ++i) {
      const auto number = random_.below(4);
      hostlist::HostEntry entry{.host = number == 0 ? "me" : fmt::format("n{}", number)};
      if (number != 0 || random_.chance(0.7)) entry.slots = static_cast<int>(random_.below(5));
      entries_.push_back(entry);
    }
    settings_.map = pick({"slot", "node", "numa"});
    settings_.bind = pick({"auto", "core", "numa", "none"});
    settings_.oversubscribe = random_.chance(0.3);
    if (random_.chance(0.4)) settings_.cores_per_rank = 1 + static_cast<int>(random_.below(3));
    ranks_ = static_cast<int>(random_.below(12));
  }

  std::string pick(const std::vector<std::string>& from) {
    return from[random_.below(from.size())];
  }

  Random random_;
  std::vector<hostlist::HostEntry> entries_;
  RunSettings settings_;
  int ranks_ = 0;
};

TEST_P(RandomPlans, PlaceEachRankOnceAndGiveNoCoreTwice) {
  const auto plan = planned(settings_, ranks_, listed(entries_));
  if (!plan) {
    EXPECT_FALSE(plan.error().message.empty());
    EXPECT_EQ(plan.error().message.find('\n'), std::string::npos);
    return;
  }
  std::map<std::string, int> locals;
  std::set<int> own;
  const auto json = nlohmann::json::parse(plan_json(*plan));
  ASSERT_EQ(json["ranks"].size(), static_cast<std::size_t>(plan->spec.ranks_max));
  EXPECT_TRUE(ranks_ == 0 || plan->spec.ranks_max == ranks_);
  for (int rank = 0; rank < plan->spec.ranks_max; ++rank) {
    const auto& place = plan->places[static_cast<std::size_t>(rank)];
    EXPECT_EQ(place.rank, rank);
    const auto listed_host = [&](const auto& entry) { return entry.host == place.host; };
    EXPECT_TRUE(std::ranges::any_of(entries_, listed_host));
    EXPECT_EQ(place.local_rank, locals[place.host]++);
    for (const int processor : place.cores) {
      EXPECT_EQ(place.host, "me") << "only hosts that were looked at";
      EXPECT_TRUE(own.insert(processor).second);
    }
    const auto bound = processors_of(*plan, rank).value_or(std::vector<int>{});
    EXPECT_TRUE(std::ranges::is_sorted(bound));
    EXPECT_TRUE(bound.empty() || settings_.bind != "none");
    if (!place.cores.empty() && !bound.empty()) {
      EXPECT_TRUE(std::ranges::includes(bound, place.cores));
    }
    const auto& told = json["ranks"][static_cast<std::size_t>(rank)];
    EXPECT_EQ(told["host"], place.host);
    EXPECT_EQ(told["cores"].is_null(), bound.empty());
    EXPECT_EQ(told["gpus"].is_null(), place.host != "me");
    for (const auto& [name, value] : planned_variables(*plan, rank)) {
      EXPECT_EQ(told["env"][name], value) << name;
    }
  }
  for (const auto& place : plan->places) EXPECT_EQ(place.local_size, locals[place.host]);
}

TEST_P(RandomPlans, SlotsAreExceededOnlyWhenAsked) {
  settings_.oversubscribe = false;
  const auto plan = planned(settings_, ranks_, listed(entries_));
  if (!plan) return;
  std::map<std::string, int> slots, used;
  for (const auto& entry : entries_) slots[entry.host] += entry.slots.value_or(4);
  for (const auto& place : plan->places) ++used[place.host];
  for (const auto& [host, count] : used) EXPECT_LE(count, slots[host]) << host;
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPlans, testing::Range(0, 150));

}  // namespace
}  // namespace ringmaster::launcher
