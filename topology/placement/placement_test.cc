// SPDX-License-Identifier: Apache-2.0
#include "topology/placement/placement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "topology/rings/rings.h"
#include "topology/rings/test_wires.h"

namespace ringmaster::topology {
namespace {

MachineKind dgx1() {
  return {linked_wires(8, cube_mesh()), 50};
}

MachineKind switched() {
  return {switched_wires(8, 240), 100};
}

Placement found(const Cluster& cluster, int gpus) {
  auto answer = find_placement(cluster, gpus);
  if (const auto* reason = std::get_if<std::string>(&answer)) {
    ADD_FAILURE() << *reason;
    return {};
  }
  return std::get<Placement>(answer);
}

/// The GPUs are free, nobody has one twice, and there are so many.
void check_placement(const Cluster& cluster, const Placement& placement, int gpus) {
  int count = 0;
  std::vector<GpuSet> left;
  for (const HostRoom& host : cluster.hosts) left.push_back(host.free);
  for (const HostShare& share : placement.shares) {
    ASSERT_FALSE(share.order.empty());
    for (const int place : share.order) {
      const GpuSet bit = GpuSet{1} << place;
      ASSERT_NE(left[static_cast<std::size_t>(share.host)] & bit, 0u);
      left[static_cast<std::size_t>(share.host)] &= ~bit;
      ++count;
    }
  }
  EXPECT_EQ(count, gpus);
  EXPECT_FALSE(placement.why.empty());
}

/// What the shares carry together, worked out again from the wires.
double rate_of(const Cluster& cluster, const Placement& placement) {
  double slowest = std::numeric_limits<double>::infinity();
  for (const HostShare& share : placement.shares) {
    const HostRoom& host = cluster.hosts[static_cast<std::size_t>(share.host)];
    const MachineKind& kind = cluster.kinds[static_cast<std::size_t>(host.kind)];
    if (share.order.size() > 1) {
      slowest = std::min(slowest, ring_gb_s(select_gpus(kind.wires, share.order)));
    }
    if (placement.shares.size() > 1) slowest = std::min(slowest, kind.network_gb_s);
  }
  return slowest;
}

/// The best rate of all ways to take so many GPUs, and the fewest hosts that have it.
struct BestOfAll {
  double gb_s = 0;
  std::size_t hosts = 0;
};

class AllPlacements {
 public:
  explicit AllPlacements(const Cluster& cluster) : cluster_(cluster) {
    for (const MachineKind& kind : cluster.kinds) tables_.emplace_back(kind.wires);
  }

  BestOfAll best(int gpus) {
    best_ = {};
    take(0, gpus, 0, std::numeric_limits<double>::infinity(),
         std::numeric_limits<double>::infinity());
    return best_;
  }

 private:
  void take(std::size_t host, int left, std::size_t hosts, double inner, double network) {
    if (left == 0) {
      const double rate = hosts > 1 ? std::min(inner, network) : inner;
      const bool same = rate == best_.gb_s || std::abs(rate - best_.gb_s) < 1e-6 * best_.gb_s;
      if (best_.hosts != 0 && same ? hosts < best_.hosts : rate > best_.gb_s) {
        best_ = {rate, hosts};
      }
      return;
    }
    if (host == cluster_.hosts.size()) return;
    const HostRoom& room = cluster_.hosts[host];
    const auto kind = static_cast<std::size_t>(room.kind);
    for (GpuSet set = room.free;; set = (set - 1) & room.free) {
      const int count = count_gpus(set);
      if (count == 0) {
        take(host + 1, left, hosts, inner, network);
        return;
      }
      if (count > left) continue;
      take(host + 1, left - count, hosts + 1, std::min(inner, tables_[kind].gb_s(set)),
           std::min(network, cluster_.kinds[kind].network_gb_s));
    }
  }

  const Cluster& cluster_;
  std::vector<MachineTable> tables_;
  BestOfAll best_;
};

TEST(Placement, APairDoesNotBreakUpWhatIsWhole) {
  const Cluster cluster{{switched()}, {{"whole", 0, 0xff}, {"rest", 0, 0x0f}}};
  const Placement placement = found(cluster, 2);
  check_placement(cluster, placement, 2);
  EXPECT_EQ(placement.shares.front().host, 1);
  EXPECT_NE(placement.why.find("of rest: 240.0 GB/s"), std::string::npos) << placement.why;
}

TEST(Placement, ASingleGpuIsTakenWhereItHarmsLeast) {
  const Cluster cluster{{dgx1()}, {{"whole", 0, 0xff}, {"odd", 0, 0x07}, {"pair", 0, 0x03}}};
  EXPECT_EQ(found(cluster, 1).shares.front().host, 1) << "a pair is left there";
}

TEST(Placement, FourOfEightAreThoseWithTheMostLinks) {
  const Cluster cluster{{dgx1()}, {{"n", 0, 0xff}}};
  const Placement placement = found(cluster, 4);
  check_placement(cluster, placement, 4);
  double best = 0;
  MachineTable table(dgx1().wires);
  for (const GpuSet set : table.candidates(0xff, 4)) best = std::max(best, table.gb_s(set));
  EXPECT_NEAR(placement.gb_s, best, 1e-6);
  EXPECT_GT(best, 60);
}

TEST(Placement, WhatNoHostHasIsTakenFromTheFewest) {
  const Cluster cluster{{switched()},
                        {{"a", 0, 0xff}, {"b", 0, 0x0f}, {"c", 0, 0xff}, {"d", 0, 0x03}}};
  const Placement placement = found(cluster, 10);
  check_placement(cluster, placement, 10);
  EXPECT_EQ(placement.shares.size(), 2u);
  EXPECT_EQ(placement.shares.back().host, 3) << "two of d, not of c";
  EXPECT_DOUBLE_EQ(placement.gb_s, 100);
  EXPECT_NE(placement.why.find("limited by the network"), std::string::npos) << placement.why;
}

TEST(Placement, SaysWhatIsFreeWhenItIsTooLittle) {
  const Cluster cluster{{switched()}, {{"a", 0, 0x0f}, {"b", 0, 0}}};
  const auto answer = find_placement(cluster, 5);
  EXPECT_EQ(std::get<std::string>(answer), "the job needs 5 GPUs: 4 are free on 2 hosts");
  EXPECT_TRUE(std::holds_alternative<std::string>(find_placement(cluster, 0)));
  EXPECT_TRUE(std::holds_alternative<std::string>(find_placement(Cluster{}, 1)));
}

TEST(Placement, IsNoWorseThanTheBestOfAll) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    Cluster cluster;
    cluster.kinds = {dgx1(), switched(), {random_tree_wires(random, 8), 12.5}};
    const std::size_t hosts = 1 + random.below(4);
    int free = 0;
    for (std::size_t i = 0; i < hosts; ++i) {
      const int kind = static_cast<int>(random.below(3));
      const auto gpus = cluster.kinds[static_cast<std::size_t>(kind)].wires.gpus();
      const auto all = static_cast<GpuSet>((1u << gpus) - 1);
      // More than 16 free GPUs have too many ways to be taken to try them all.
      GpuSet free_here = all & static_cast<GpuSet>(random.next() | random.next());
      while (count_gpus(free_here) > 16 - free) free_here &= free_here - 1;
      cluster.hosts.push_back({"n" + std::to_string(i), kind, free_here});
      free += count_gpus(cluster.hosts.back().free);
    }
    AllPlacements all(cluster);
    for (int gpus = 1; gpus <= free; gpus += 1 + static_cast<int>(random.below(3))) {
      const Placement placement = found(cluster, gpus);
      check_placement(cluster, placement, gpus);
      const BestOfAll best = all.best(gpus);
      if (gpus == 1) continue;
      const double rate = rate_of(cluster, placement);
      EXPECT_NEAR(rate, placement.gb_s, 1e-4 * rate) << "seed " << seed;
      EXPECT_GE(rate, 0.98 * best.gb_s) << "seed " << seed << ", " << gpus << " GPUs";
      EXPECT_LE(placement.shares.size(), best.hosts) << "seed " << seed << ", " << gpus << " GPUs";
    }
  }
}

}  // namespace
}  // namespace ringmaster::topology
