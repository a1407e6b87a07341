// SPDX-License-Identifier: Apache-2.0
#include "launcher/host_choice.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace ringmaster::launcher {
namespace {

using hostlist::Source;

const OwnNames kSelf = {.host = "head.cluster", .user = "kim", .addresses = {"10.0.0.1"}};

hostlist::Allocation slurm(const std::string& nodes, const std::string& tasks) {
  const auto source = hostlist::find_allocation(
      {{"SLURM_JOB_ID", "17"}, {"SLURM_JOB_NODELIST", nodes}, {"SLURM_TASKS_PER_NODE", tasks}});
  auto allocation = hostlist::read_allocation(**source);
  CHECK(allocation.ok());
  return std::move(*allocation);
}

/// "n1=2 n2=auto", or why not.
std::string hosts_of(const HostTexts& texts) {
  const auto choice = choose_hosts(texts, kSelf);
  if (!choice) return choice.error().message();
  if (!choice->list) return "no list";
  std::string text;
  for (const auto& entry : choice->list->hosts) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", entry.host,
                        entry.slots ? fmt::format("{}", *entry.slots) : "auto");
  }
  for (const auto& rank : choice->list->ranks) text += fmt::format(" {}@{}", rank.rank, rank.host);
  return text;
}

TEST(HostChoice, NothingNamedIsThisHostAlone) {
  EXPECT_EQ(hosts_of({}), "no list");
  EXPECT_EQ(choose_hosts({}, kSelf)->here, "");
}

TEST(HostChoice, EachOptionHasItsFormat) {
  EXPECT_EQ(hosts_of({.picked = {"n1:2,n2"}}), "n1=2 n2=1");
  EXPECT_EQ(hosts_of({.file = Source{"f", "n1 slots=2\nn2\n"}}), "n1=2 n2=auto");
  EXPECT_EQ(hosts_of({.file = Source{"f", "n1:2\nn2\n"}, .format = "hydra"}), "n1=2 n2=1");
  EXPECT_EQ(hosts_of({.picked = {"n[1-2]"}}), "n1=1 n2=1");
  const auto guessed = choose_hosts({.file = Source{"f", "n1:2\nn2:3\n"}}, kSelf);
  ASSERT_TRUE(guessed.ok()) << guessed.error().message();
  ASSERT_EQ(guessed->remarks.size(), 1U);
  EXPECT_NE(guessed->remarks[0].find("hydra"), std::string::npos);
}

TEST(HostChoice, PickingNarrowsTheFile) {
  const Source file{"f", "n1 slots=2\nn2 slots=3\n"};
  EXPECT_EQ(hosts_of({.picked = {"n2:2"}, .file = file}), "n2=2");
  EXPECT_EQ(hosts_of({.picked = {"+n0"}, .file = file}), "n1=2");
  EXPECT_EQ(hosts_of({.picked = {"n3"}, .file = file}).find("-H: \"n3\""), 0U);
  EXPECT_EQ(hosts_of({.picked = {"n2:4"}, .file = file}).find("-H:"), 0U);
}

TEST(HostChoice, AnAllocationIsTheOuterBound) {
  const HostTexts whole{.allocation = slurm("n[1-2],head", "2(x2),4")};
  EXPECT_EQ(hosts_of(whole), "n1=2 n2=2 head=4");
  const auto choice = choose_hosts(whole, kSelf);
  EXPECT_EQ(choice->here, "head");
  EXPECT_EQ(choice->remarks.front().find("Slurm job 17: 3 hosts, 8 slots"), 0U);
  HostTexts part = whole;
  part.picked = {"n2:2,localhost:3"};
  EXPECT_EQ(hosts_of(part), "n2=2 head=3");
  part.picked = {"n[1-2]"};
  EXPECT_EQ(hosts_of(part), "n1=1 n2=1");
  part.picked = {"n9"};
  EXPECT_NE(hosts_of(part).find("Slurm job 17"), std::string::npos);
  part.picked = {};
  part.file = Source{"f", "10.0.0.1 slots=1\nn1\n"};
  EXPECT_EQ(hosts_of(part), "head=1 n1=2");
  part.file = Source{"f", "n9 slots=1\n"};
  EXPECT_EQ(hosts_of(part).find("f:1: \"n9\""), 0U) << hosts_of(part);
}

TEST(HostChoice, RankFilesAreWithinTheirHosts) {
  const Source ranks{"r", "rank 0=n1\nrank 1=localhost slot=0\n"};
  EXPECT_EQ(hosts_of({.rank_file = ranks}), "n1=1 localhost=1 0@n1 1@localhost");
  const Source file{"f", "n1 slots=2\nhead.cluster slots=2\n"};
  EXPECT_EQ(hosts_of({.file = file, .rank_file = ranks}),
            "n1=2 head.cluster=2 0@n1 1@head.cluster");
  EXPECT_EQ(hosts_of({.file = file, .rank_file = Source{"r", "rank 0=+n1\n"}}),
            "n1=2 head.cluster=2 0@head.cluster");
  EXPECT_EQ(hosts_of({.picked = {"n2"}, .rank_file = ranks}).find("r:1: \"n1\""), 0U);
  EXPECT_EQ(hosts_of({.picked = {"n1"}, .file = ranks}).find("-H: \"n1\": r says where"), 0U);
}

TEST(HostChoice, ThisHostHasOneName) {
  EXPECT_EQ(hosts_of({.picked = {"localhost:2,n1,127.0.0.1:1"}}), "localhost=2 n1=1 localhost=1");
  EXPECT_EQ(choose_hosts({.picked = {"n1,10.0.0.1"}}, kSelf)->here, "10.0.0.1");
  EXPECT_EQ(choose_hosts({.picked = {"n1"}}, kSelf)->here, "");
  EXPECT_EQ(hosts_of({.file = Source{"f", "kim@localhost\n"}}), "localhost=auto");
  EXPECT_EQ(hosts_of({.file = Source{"f", "n1\nroot@localhost\n"}}),
            "f:2: \"root@localhost\": it is this host, and ranks here run under your own account");
}

TEST(HostChoice, WhatDisagreesOrIsEmptyIsRefused) {
  EXPECT_EQ(hosts_of({.picked = {"n1:2", "n1:2"}}), "n1=2");
  EXPECT_EQ(hosts_of({.picked = {"n1:2", "n1:4"}}), "-H: \"n1:4\": another -H says \"n1:2\"");
  EXPECT_NE(hosts_of({.picked = {""}}).find("names no host"), std::string::npos);
  EXPECT_NE(hosts_of({.picked = {"-n1"}}).find("-H: \"-n1\""), std::string::npos);
  for (const char* text : {"", "# only words\n", "\n\n"}) {
    EXPECT_EQ(hosts_of({.file = Source{"f", text}}).find("f: "), 0U) << text;
  }
}

}  // namespace
}  // namespace ringmaster::launcher
