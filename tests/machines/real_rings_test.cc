// SPDX-License-Identifier: Apache-2.0
//
// Rings of real machines. Their descriptions are not part of the project: where ../shared/data
// stands beside the checkout they are read, else this is skipped.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <sstream>

#include "base/random.h"
#include "topology/read/formats.h"
#include "topology/read/test_machine.h"
#include "topology/rings/rings.h"

namespace ringmaster::topology {
namespace {

const std::string kMachines = RINGMASTER_SOURCE_DIR "/../shared/data/topologies/";

class RealRings : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::ifstream(kMachines + "facts.tsv")) GTEST_SKIP() << kMachines << " is not there";
  }

  void look(const std::string& file) {
    std::stringstream text;
    text << std::ifstream(kMachines + file, std::ios::binary).rdbuf();
    machine_ = machine_of(read_topology("auto", text.str()));
    wires_ = find_wires(machine_);
    set_ = find_rings(wires_);
  }

  std::vector<int> order() const {
    std::vector<int> indexes;
    for (const int place : set_.order) {
      indexes.push_back(machine_.gpus[static_cast<std::size_t>(place)].index);
    }
    return indexes;
  }

  /// Links of each step of the best order; 0 where there are none.
  std::vector<int> links() const {
    std::vector<int> counts;
    const std::vector<int> gpus = order();
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      counts.push_back(link_count(machine_, gpus[i], gpus[(i + 1) % gpus.size()]));
    }
    return counts;
  }

  long steps_of(PathClass kind) const {
    long count = 0;
    for (std::size_t i = 0; i < set_.order.size(); ++i) {
      const auto from = static_cast<std::size_t>(set_.order[i]);
      const auto to = static_cast<std::size_t>(set_.order[(i + 1) % set_.order.size()]);
      count += machine_.paths[from][to] && machine_.paths[from][to]->kind == kind ? 1 : 0;
    }
    return count;
  }

  Topology machine_;
  Wires wires_;
  RingSet set_;
};

TEST_F(RealRings, EachWiringOfEightV100HasOneRingOfDoubleLinks) {
  using Order = std::vector<int>;
  const std::vector<std::pair<std::string, Order>> machines = {
      {"matrix/dgx1v-v100x8-1nic.txt", {0, 3, 2, 1, 5, 6, 7, 4}},
      {"matrix/v100x8-sxm2-1nic-tabs.txt", {0, 3, 2, 1, 5, 6, 7, 4}},
      {"matrix/v100x8-2nic-shared-switch-cut.txt", {0, 1, 3, 7, 5, 4, 6, 2}}};
  for (const auto& [file, expected] : machines) {
    look(file);
    EXPECT_EQ(order(), expected) << file;
    EXPECT_EQ(links(), std::vector<int>(8, 2)) << file;
    EXPECT_EQ(set_.rings.size(), 3u) << file;
    for (const Ring& ring : set_.rings) {
      EXPECT_TRUE(ring.both_ways);
      EXPECT_DOUBLE_EQ(ring.gb_s, 20);
    }
    EXPECT_NEAR(set_.gb_s, 120, 1e-3) << file;
  }
}

TEST_F(RealRings, SixteenDiesHaveARingOfFortyFourLinks) {
  look("xml/amd-mi250x16-vm.xml");
  const std::vector<int> counts = links();
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0), 44);
  EXPECT_GT(*std::min_element(counts.begin(), counts.end()), 0);
}

TEST_F(RealRings, ARingOfLinksIsFollowed) {
  look("xml/amd-mi50x4-xgmi-ring.xml");
  EXPECT_EQ(order(), (std::vector<int>{0, 1, 3, 2}));
}

TEST_F(RealRings, BridgedPairsStayNeighbours) {
  look("matrix/h100nvl-x8-bridged-pairs.txt");
  EXPECT_EQ(steps_of(PathClass::nvlink), 4);
  EXPECT_EQ(steps_of(PathClass::sys), 2);
}

TEST_F(RealRings, IslandsAndSocketsAreCrossedTwice) {
  look("matrix/titanv-x8-pcie-pix-phb.txt");
  EXPECT_EQ(steps_of(PathClass::sys), 2);
  EXPECT_EQ(steps_of(PathClass::pix), 4);
  look("xml/amd-mi100x8-two-islands-nps4.xml");
  EXPECT_EQ(steps_of(PathClass::nvlink), 6);
  look("xml/amd-mi300x16-cascade.xml");
  EXPECT_EQ(steps_of(PathClass::nvlink), 14);
}

// The driver says SYS between all, the NUMA nodes say more.
TEST_F(RealRings, NodesAreFollowedWherePathsSayNothing) {
  look("matrix/rtx4090-x8-all-sys.txt");
  const std::vector<int> gpus = order();
  int crossings = 0;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    crossings += gpus[i] / 4 != gpus[(i + 1) % gpus.size()] / 4 ? 1 : 0;
  }
  EXPECT_EQ(crossings, 2);
}

TEST_F(RealRings, BehindASwitchOneRingHasItAll) {
  for (const char* file : {"matrix/h100x8-nonic.txt", "matrix/aws-p4d-a100x8-tabs.txt",
                           "matrix/dgx2-v100x16-nvswitch-cut.txt"}) {
    look(file);
    EXPECT_EQ(set_.rings.size(), 1u) << file;
    EXPECT_TRUE(wires_.wires[static_cast<std::size_t>(set_.rings.front().limit)].link) << file;
  }
}

// For every machine of 16 at most, any numbers of its GPUs give the same bandwidth.
TEST_F(RealRings, NumbersOfGpusDoNotChangeTheBandwidth) {
  Random random(6);
  for (const char* file :
       {"xml/amd-mi250x16-vm.xml", "xml/amd-mi300x16-cascade.xml", "xml/azure-mi300x8-vm.xml",
        "matrix/dgx1v-v100x8-1nic.txt", "matrix/l40s-x4-2numa-nic-one-side.txt",
        "xml/amd-mi100x8-two-islands-nps4.xml", "xml/azure-ndv2.xml"}) {
    look(file);
    for (int turn = 0; turn < 3; ++turn) {
      std::vector<int> places = set_.order;
      for (std::size_t i = places.size(); i > 1; --i) {
        std::swap(places[i - 1], places[random.below(i)]);
      }
      EXPECT_NEAR(find_rings(select_gpus(wires_, places)).gb_s, set_.gb_s, set_.gb_s * 1e-6)
          << file;
    }
  }
}

}  // namespace
}  // namespace ringmaster::topology
