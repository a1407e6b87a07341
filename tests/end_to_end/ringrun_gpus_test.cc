// SPDX-License-Identifier: Apache-2.0
//
// `ringrun --map topo` on a host whose driver tells of a DGX-1: a stand-in for NVML plays it, the
// ranks are real.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/end_to_end/program.h"
#include "tests/end_to_end/text.h"
#include "topology/known_machines.h"

namespace ringmaster::tests {
namespace {

/// Eight V100 in the words of the stand-in, each link a port of its own.
std::string recorded_dgx1() {
  const topology::Topology machine = *topology::known_machine("dgx-1");
  const auto bus_id = [](int gpu) { return "00000000:" + std::to_string(60 + gpu) + ":00.0"; };
  std::string text;
  for (const topology::Gpu& gpu : machine.gpus) {
    text += "gpu " + bus_id(gpu.index) + " " + gpu.name + "\n";
    for (const topology::Link& link : machine.links) {
      if (link.a != gpu.index && link.b != gpu.index) continue;
      const int other = link.a == gpu.index ? link.b : link.a;
      text += "links " + std::to_string(link.count) + " up 2 gpu " + bus_id(other) + "\n";
    }
  }
  return text + "end\n";
}

class RingrunGpus : public testing::Test {
 protected:
  RingrunGpus() { std::ofstream(folder_.file("machine")) << recorded_dgx1(); }

  Ended run(const std::string& line, const std::string& visible = "") {
    std::vector<std::string> environment = {"RINGMASTER_NVML_STAND_IN=" + folder_.file("machine"),
                                            "RINGMASTER_NVML_LIBRARY=" RINGMASTER_BINARY_DIR
                                            "/../lib/libnvml-stand-in.so"};
    if (!visible.empty()) environment.push_back("CUDA_VISIBLE_DEVICES=" + visible);
    return run_shell("exec ringrun " + line, environment);
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(RingrunGpus, RanksFindTheirGpusInTheOrderOfTheRing) {
  const Ended ended = run("--map topo -np 8 sh -c 'echo $CUDA_VISIBLE_DEVICES'");
  EXPECT_EQ(ended.exit_code, 0) << ended.error;
  std::string expected;
  for (int rank = 0; rank < 8; ++rank) expected += "0,3,2,1,5,6,7,4\n";
  EXPECT_EQ(ended.output, expected);
  EXPECT_TRUE(contains(ended.error, "GPUs 0-3-2-1-5-6-7-4 of 8, 120.0 GB/s")) << ended.error;
}

TEST_F(RingrunGpus, ThePlanNamesEachRanksGpu) {
  const Ended ended = run("--map topo -np 3 --dry-run --json true", "7,6,5,1,0");
  ASSERT_EQ(ended.exit_code, 0) << ended.error;
  std::vector<int> gpus;
  const auto plan = nlohmann::json::parse(ended.output);
  for (const auto& rank : plan["ranks"]) gpus.push_back(rank["gpus"][0]);
  std::sort(gpus.begin(), gpus.end());
  EXPECT_EQ(gpus, (std::vector<int>{5, 6, 7}));
}

TEST_F(RingrunGpus, MoreRanksThanGpusAreRefused) {
  const Ended ended = run("--map topo -np 3 true", "4,5");
  EXPECT_EQ(ended.exit_code, 94);
  EXPECT_TRUE(contains(ended.error, "3 ranks")) << ended.error;
}

}  // namespace
}  // namespace ringmaster::tests
