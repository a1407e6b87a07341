// SPDX-License-Identifier: Apache-2.0
#include "topology/rings/joined_rings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "base/random.h"
#include "topology/known_machines.h"

namespace ringmaster::topology {
namespace {

std::vector<int> all_gpus(const Topology& machine) {
  std::vector<int> places(machine.gpus.size());
  std::iota(places.begin(), places.end(), 0);
  return places;
}

std::vector<RingHost> alike(const Topology& machine, std::size_t hosts) {
  return std::vector<RingHost>(hosts, {"n", &machine, all_gpus(machine)});
}

/// Every ring passes every GPU of every host once, and no two use one adapter.
void check_joined(const std::vector<RingHost>& hosts, const JoinedRings& joined) {
  double sum = 0;
  for (std::size_t at = 0; at < hosts.size(); ++at) {
    std::set<int> nics;
    for (const JoinedRing& ring : joined.rings) {
      Tour order = ring.orders[at], expected = hosts[at].gpus;
      std::sort(order.begin(), order.end());
      std::sort(expected.begin(), expected.end());
      EXPECT_EQ(order, expected);
      EXPECT_TRUE(nics.insert(ring.nics[at]).second) << "a ring of its own for each adapter";
    }
  }
  for (const JoinedRing& ring : joined.rings) sum += ring.gb_s;
  EXPECT_NEAR(sum, joined.gb_s, joined.gb_s * 1e-9);
}

TEST(JoinedRings, EachRailEntersBesideItsAdapter) {
  const Topology machine = *known_machine("dgx-h100");
  const auto hosts = alike(machine, 4);
  const JoinedRings joined = join_rings(hosts);
  check_joined(hosts, joined);
  ASSERT_EQ(joined.rings.size(), 8u);
  for (int rail = 0; rail < 8; ++rail) {
    for (std::size_t host = 0; host < 4; ++host) {
      EXPECT_EQ(joined.rings[static_cast<std::size_t>(rail)].nics[host], rail) << "aligned";
      EXPECT_EQ(joined.rings[static_cast<std::size_t>(rail)].orders[host].front(), rail);
    }
  }
  EXPECT_NEAR(joined.gb_s, 370.8, 1e-6) << "8 x 50 GB/s of network, but less within a host";
  EXPECT_EQ(joined.limit, "the rings within n (370.8 GB/s)");
}

TEST(JoinedRings, BothEndsAreBesideAnAdapterThatTwoGpusShare) {
  const Topology machine = *known_machine("dgx-1");
  const JoinedRings joined = join_rings(alike(machine, 2));
  ASSERT_EQ(joined.rings.size(), 4u);
  for (std::size_t rail = 0; rail < 4; ++rail) {
    const Tour& order = joined.rings[rail].orders[0];
    const auto& nic = machine.nics[static_cast<std::size_t>(joined.rings[rail].nics[0])];
    EXPECT_EQ(nic.paths[static_cast<std::size_t>(order.front())]->kind, PathClass::pix);
  }
  EXPECT_DOUBLE_EQ(joined.gb_s, 48) << "of 12.5 GB/s, 16 lanes of PCIe 3 carry 12";
  EXPECT_EQ(joined.limit, "the network adapters (48.0 GB/s)");
}

TEST(JoinedRings, AHostWithFewerAdaptersSetsTheirNumber) {
  const Topology many = *known_machine("dgx-h100"), few = *known_machine("l40s");
  const std::vector<RingHost> hosts = {{"a", &many, {0, 1, 5}}, {"b", &few, {7}}};
  const JoinedRings joined = join_rings(hosts);
  check_joined(hosts, joined);
  EXPECT_EQ(joined.rings.size(), 2u);
  EXPECT_DOUBLE_EQ(joined.gb_s, 25);
}

TEST(JoinedRings, SlowAdaptersAreLeftOutAndUnknownOnesTakenForUsualOnes) {
  Topology machine = *known_machine("l40s");
  machine.nics.front().speed_mbit_s = 1000;
  EXPECT_EQ(join_rings(alike(machine, 2)).rings.size(), 1u);
  machine.nics.clear();
  const JoinedRings joined = join_rings(alike(machine, 2));
  EXPECT_EQ(joined.rings.size(), 1u);
  EXPECT_EQ(joined.rings.front().nics, (std::vector<int>{-1, -1}));
  EXPECT_TRUE(joined.assumed);
}

TEST(JoinedRings, AnySetsOfAnyMachinesCanBeJoined) {
  std::vector<Topology> machines;
  for (const KnownMachine& known : known_machines()) machines.push_back(*known_machine(known.name));
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Random random(seed);
    std::vector<RingHost> hosts;
    for (std::size_t count = 2 + random.below(4); hosts.size() < count;) {
      const Topology& machine = machines[random.below(machines.size())];
      std::vector<int> gpus;
      for (const int gpu : all_gpus(machine)) {
        if (random.chance(0.5)) gpus.push_back(gpu);
      }
      if (!gpus.empty()) hosts.push_back({"n", &machine, gpus});
    }
    const JoinedRings joined = join_rings(hosts);
    check_joined(hosts, joined);
    EXPECT_GT(joined.gb_s, 0);
  }
}

}  // namespace
}  // namespace ringmaster::topology
