// SPDX-License-Identifier: Apache-2.0
#include "topology/rings/rings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "base/random.h"
#include "topology/rings/exact_rings.h"
#include "topology/rings/ring_use.h"
#include "topology/rings/test_wires.h"

namespace ringmaster::topology {
namespace {

constexpr double kTolerance = 1e-6;

/// Every ring passes every GPU once, and no wire carries more than it can in either direction.
void check_rings(const Wires& wires, const RingSet& set) {
  std::map<std::pair<int, bool>, double> carried;
  double sum = 0;
  for (const Ring& ring : set.rings) {
    Tour sorted = ring.order;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < sorted.size(); ++i) ASSERT_EQ(sorted[i], static_cast<int>(i));
    ASSERT_EQ(sorted.size(), wires.gpus());
    EXPECT_GT(ring.gb_s, 0);
    sum += ring.both_ways ? 2 * ring.gb_s : ring.gb_s;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      const int from = ring.order[i], to = ring.order[(i + 1) % sorted.size()];
      for (const Crossing& crossing :
           wires.routes[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)]) {
        carried[{crossing.wire, crossing.up}] += ring.gb_s;
        if (ring.both_ways) carried[{crossing.wire, !crossing.up}] += ring.gb_s;
      }
    }
  }
  for (const auto& [way, gb_s] : carried) {
    const Wire& wire = wires.wires[static_cast<std::size_t>(way.first)];
    EXPECT_LE(gb_s, wire.gb_s * (1 + kTolerance)) << wire.name;
  }
  EXPECT_NEAR(sum, set.gb_s, set.gb_s * kTolerance);
}

Wires shuffled(const Wires& wires, Random& random, std::vector<int>* places = nullptr) {
  std::vector<int> order(wires.gpus());
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  if (places != nullptr) *places = order;
  return select_gpus(wires, order);
}

TEST(Rings, OneGpuHasNone) {
  EXPECT_TRUE(find_rings(select_gpus(linked_wires(2, {{0, 1, 1}}), {1})).rings.empty());
  EXPECT_TRUE(find_rings(Wires{}).rings.empty());
}

TEST(Rings, TwoGpusSendToEachOtherOverAllTheirLinks) {
  const RingSet set = find_rings(linked_wires(2, {{0, 1, 3}}));
  ASSERT_EQ(set.rings.size(), 1u);
  EXPECT_DOUBLE_EQ(set.gb_s, 60);
}

TEST(Rings, ASwitchCarriesAnyOrderAtFullSpeed) {
  for (const int gpus : {2, 3, 8, 16}) {
    const Wires wires = switched_wires(gpus, 240);
    const RingSet set = find_rings(wires);
    check_rings(wires, set);
    EXPECT_EQ(set.rings.size(), 1u);
    EXPECT_NEAR(set.gb_s, 240, kTolerance);
  }
}

// The wiring of a DGX-1: doubles make one ring, singles another.
TEST(Rings, TheHybridCubeMeshIsThreeDisjointRingsEachUsedBothWays) {
  const Wires wires = linked_wires(8, cube_mesh());
  const RingSet set = find_rings(wires);
  check_rings(wires, set);
  EXPECT_EQ(set.rings.size(), 3u);
  for (const Ring& ring : set.rings) {
    EXPECT_TRUE(ring.both_ways);
    EXPECT_DOUBLE_EQ(ring.gb_s, 20);
  }
  EXPECT_NEAR(set.gb_s, 120, kTolerance);
  EXPECT_EQ(set.order, (Tour{0, 3, 2, 1, 5, 6, 7, 4}));
}

// Seven links of each GPU cannot be whole rings both ways; all of them are used all the same.
TEST(Rings, AFullMeshOfEightUsesAllItsLinks) {
  std::vector<Link> links;
  for (int a = 0; a < 8; ++a) {
    for (int b = a + 1; b < 8; ++b) links.push_back({a, b, 1});
  }
  const Wires wires = linked_wires(8, links);
  const RingSet set = find_rings(wires);
  check_rings(wires, set);
  EXPECT_NEAR(set.gb_s, 140, 140 * kTolerance);
}

TEST(Rings, AreNoWorseThanAnExactSearchForWholeRings) {
  int reached = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const Wires wires = random_linked_wires(random);
    const RingSet set = find_rings(wires);
    check_rings(wires, set);
    const ExactRings exact = count_exact_rings(wires, 20);
    reached += exact.complete ? 1 : 0;
    EXPECT_GE(set.gb_s, 0.98 * 20 * exact.rings) << "seed " << seed;
  }
  EXPECT_GT(reached, 250) << "the oracle gave up too often to be one";
}

TEST(Rings, TheBestOrderIsTheBestOfAll) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const Wires wires = random_tree_wires(random, 7);
    const std::vector<double> whole = capacities_of(wires);
    const RingSet set = find_rings(wires);
    check_rings(wires, set);
    const double best = best_rate_of_all_orders(wires);
    EXPECT_NEAR(rate_alone(use_of(wires, set.order), whole), best, best * kTolerance)
        << "seed " << seed;
    EXPECT_GE(set.gb_s, best * (1 - kTolerance)) << "seed " << seed;
  }
}

TEST(Rings, TheNumbersOfGpusDoNotChangeTheBandwidth) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Random random(seed);
    const Wires wires = seed % 2 == 0 ? random_linked_wires(random) : random_tree_wires(random, 8);
    const double gb_s = find_rings(wires).gb_s;
    for (int turn = 0; turn < 3; ++turn) {
      EXPECT_NEAR(find_rings(shuffled(wires, random)).gb_s, gb_s, gb_s * kTolerance)
          << "seed " << seed;
    }
  }
}

TEST(Rings, TheNumbersOfSixteenGpusDoNotEither) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Random random(seed);
    const Wires wires = random_tree_wires(random, 16);
    const double gb_s = find_rings(wires).gb_s;
    EXPECT_NEAR(find_rings(shuffled(wires, random)).gb_s, gb_s, gb_s * kTolerance)
        << "seed " << seed;
  }
}

}  // namespace
}  // namespace ringmaster::topology
