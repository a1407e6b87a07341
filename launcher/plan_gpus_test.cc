// SPDX-License-Identifier: Apache-2.0
#include "launcher/plan_gpus.h"

#include <gtest/gtest.h>

#include <set>

#include "topology/known_machines.h"

namespace ringmaster::launcher {
namespace {

HostFacts host_of(const std::string& machine, std::optional<std::string> visible = {}) {
  HostFacts host{.name = "here", .cpus = 80};
  host.machine = *topology::known_machine(machine);
  host.visible = std::move(visible);
  host.gpus = static_cast<int>(host.machine->gpus.size());
  for (int core = 0; core < 40; ++core) host.cores.push_back({{core}, core / 20, core / 20});
  return host;
}

Result<Plan> plan_topo(const HostFacts& host, int ranks, const std::string& bind = "auto",
                       Variables variables = {}) {
  RunSettings settings;
  settings.map = "topo";
  settings.bind = bind;
  return make_plan(
      settings, {{.command = {"a"}, .ranks = ranks, .variables = std::move(variables)}}, host, {});
}

std::string value_of(const Plan& plan, const std::string& name) {
  for (const auto& [key, value] : plan.programs.front().variables) {
    if (key == name) return value;
  }
  return "";
}

TEST(PlanGpus, RingNeighboursAreWireNeighbours) {
  const auto plan = plan_topo(host_of("dgx-1"), 8);
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_EQ(plan->gpu_order, (std::vector<int>{0, 3, 2, 1, 5, 6, 7, 4}));
  EXPECT_EQ(value_of(*plan, "CUDA_VISIBLE_DEVICES"), "0,3,2,1,5,6,7,4");
  EXPECT_EQ(value_of(*plan, "CUDA_DEVICE_ORDER"), "PCI_BUS_ID");
  EXPECT_EQ(plan->remarks.back(),
            "--map topo: GPUs 0-3-2-1-5-6-7-4 of 8, 120.0 GB/s of all-reduce over their wires");
}

TEST(PlanGpus, RanksStayNearTheirGpus) {
  const auto plan = plan_topo(host_of("dgx-1"), 8);
  ASSERT_TRUE(plan.ok());
  for (int rank = 0; rank < 8; ++rank) {
    const int gpu = plan->gpu_order[static_cast<std::size_t>(rank)];
    const auto processors = processors_of(*plan, rank);
    ASSERT_TRUE(processors);
    EXPECT_EQ(processors->front(), gpu < 4 ? 0 : 20) << "the first of its NUMA node";
  }
  const auto free = plan_topo(host_of("dgx-1"), 8, "none");
  EXPECT_FALSE(processors_of(*free, 0));
}

TEST(PlanGpus, TheUsersListIsTakenFrom) {
  const auto plan = plan_topo(host_of("dgx-1", "7,6,5,1,0"), 3);
  ASSERT_TRUE(plan.ok());
  const std::set<int> given = {7, 6, 5, 1, 0};
  ASSERT_EQ(plan->gpu_order.size(), 3u);
  for (const int gpu : plan->gpu_order) EXPECT_TRUE(given.contains(gpu));
  EXPECT_EQ(std::set<int>(plan->gpu_order.begin(), plan->gpu_order.end()), (std::set<int>{5, 6, 7}))
      << "the only three with a link between each two";
}

TEST(PlanGpus, WhatTheUserSetsForTheRanksIsTheLastWord) {
  const auto plan = plan_topo(host_of("dgx-1"), 2, "auto", {{"CUDA_VISIBLE_DEVICES", "6"}});
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(value_of(*plan, "CUDA_VISIBLE_DEVICES"), "6");
}

TEST(PlanGpus, RefusesMoreRanksThanGpusAndPartsOfThem) {
  EXPECT_EQ(plan_topo(host_of("dgx-1", "0,1"), 3).error().code, Errc::exhausted);
  EXPECT_EQ(plan_topo(host_of("dgx-1", "MIG-a"), 1).error().code, Errc::invalid);
}

TEST(PlanGpus, WithoutGpusRanksArePlacedBySlot) {
  HostFacts host = host_of("dgx-1");
  host.machine.reset();
  host.gpus = 0;
  const auto plan = plan_topo(host, 4);
  ASSERT_TRUE(plan.ok());
  EXPECT_TRUE(plan->gpu_order.empty());
  EXPECT_EQ(plan->remarks.back(), "--map topo: no GPU is here; ranks are placed by slot");
}

TEST(PlanGpus, ListsOfVisibleGpusAreReadAsCudaDoes) {
  topology::Topology machine = *topology::known_machine("dgx-1");
  machine.gpus[3].uuid = "GPU-3333-44";
  const auto places = [&](const std::string& text) { return *visible_places(machine, text); };
  EXPECT_EQ(visible_places(machine, {})->size(), 8u);
  EXPECT_EQ(places("2, 0"), (std::vector<int>{2, 0}));
  EXPECT_EQ(places("2,9,0"), (std::vector<int>{2})) << "what is no GPU ends the list";
  EXPECT_EQ(places("GPU-3333,1"), (std::vector<int>{3, 1}));
  EXPECT_TRUE(places("").empty());
  EXPECT_TRUE(places("-1").empty());
}

}  // namespace
}  // namespace ringmaster::launcher
