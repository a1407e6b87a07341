// SPDX-License-Identifier: Apache-2.0
//
// The command beside launcher/commands/topo.cc: descriptions in, tables, JSON or XML out.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/temporary_folder.h"
#include "launcher/commands/command.h"

namespace ringmaster::launcher {
namespace {

struct TopoOutcome {
  int exit_code = 0;
  std::string output = {}, error = {};
};

class TopoCommand : public testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) {
    std::ofstream(folder_.file(name), std::ios::binary) << text;
    return folder_.file(name);
  }

  static TopoOutcome run(const Arguments& arguments) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    TopoOutcome outcome;
    outcome.exit_code = run_topo(arguments);
    outcome.output = testing::internal::GetCapturedStdout();
    outcome.error = testing::internal::GetCapturedStderr();
    return outcome;
  }

  ringmaster::TemporaryFolder folder_;  // not that of launcher/process/program.h
};

constexpr const char* kTwoGpus =
    "     GPU0 GPU1 NIC0 CPU Affinity NUMA Affinity\n"
    "GPU0  X   NV2  PIX  0-3          0\nGPU1 NV2   X   SYS  4-7          1\nNIC0 PIX  SYS   X\n";

TEST_F(TopoCommand, MatrixAndTree) {
  const auto outcome = run({"--from", file("m", kTwoGpus)});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
  EXPECT_EQ(outcome.output,
            "2 GPUs, NVLink, through a switch or not unknown, 1 NIC\n"
            "      GPU0  GPU1  NIC0  NUMA  CPUs  bus id\n"
            "GPU0  X     NV2   PIX   0     0-3   ?\n"
            "GPU1  NV2   X     SYS   1     4-7   ?\n"
            "NUMA node 0\n└─ GPU0\nNUMA node 1\n└─ GPU1\nNUMA node unknown\n└─ NIC0\n"
            "rings for an all-reduce over 2 GPUs: 40.0 GB/s (what nccl-tests calls busbw)\n"
            "  order    GB/s  limited by\n"
            "  0-1      40.0  2 NVLinks of GPU0 and GPU1 (40.0 GB/s?)\n"
            "  ?: not told, taken from what such machines have\n");
}

TEST_F(TopoCommand, JsonAndXml) {
  const auto json = nlohmann::json::parse(run({"--json", "--from", file("m", kTwoGpus)}).output);
  EXPECT_EQ(json["links"].dump(), R"([{"a":0,"b":1,"count":2}])");
  const std::string xml = file(
      "x", "<system><cpu numaid=\"0\"><pci busid=\"1:0.0\" class=\"0x030200\"/></cpu></system>");
  EXPECT_EQ(run({"--xml", "--from", xml}).output,
            "<system version=\"1\">\n  <cpu numaid=\"0\">\n    <pci busid=\"0000:01:00.0\" "
            "class=\"0x030200\">\n      <gpu dev=\"0\"/>\n    </pci>\n  </cpu>\n</system>\n");
  const auto refused = run({"--xml", "--from", file("m", kTwoGpus)});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.error.find("GPU0 has no place in a PCI tree"), std::string::npos);
}

TEST_F(TopoCommand, APictureGoesIntoItsFile) {
  const std::string picture = folder_.file("picture.svg");
  const auto drawn = run({"--from", file("m", kTwoGpus), "--svg", picture});
  EXPECT_EQ(drawn.exit_code, 0) << drawn.error;
  EXPECT_EQ(drawn.output, "");
  std::stringstream svg;
  svg << std::ifstream(picture).rdbuf();
  EXPECT_TRUE(svg.str().starts_with("<svg ")) << svg.str();
  EXPECT_NE(svg.str().find(">2 NVLinks<"), std::string::npos) << svg.str();
  const auto refused = run({"--from", file("m", kTwoGpus), "--svg", folder_.file("none/p.svg")});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.error.find("none/p.svg: No such file or directory"), std::string::npos);
  EXPECT_EQ(run({"--diff", "--svg", picture, "a", "b"}).exit_code, kExitUsage);
}

TEST_F(TopoCommand, DiffEndsWithOneWhereTheyDiffer) {
  std::string worse = kTwoGpus;
  while (worse.find("NV2") != std::string::npos) worse.replace(worse.find("NV2"), 3, "NV1");
  const std::string a = file("a", kTwoGpus), b = file("b", worse);
  const auto same = run({"--diff", a, a});
  EXPECT_EQ(same.exit_code, 0);
  EXPECT_EQ(same.output, "no difference\n");
  const auto other = run({"--diff", a, b});
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_EQ(other.output, "GPU0 to GPU1: was NV2, is NV1\n");
  EXPECT_EQ(run({"--diff", "--json", a, b}).output,
            "{\"differences\":[\"GPU0 to GPU1: was NV2, is NV1\"]}\n");
}

TEST_F(TopoCommand, RefusalsNameFileAndLine) {
  const std::string path = file("p", "GPU0 GPU1\nGPU0 X OK\n");
  const auto plain = run({"--from", path});
  EXPECT_EQ(plain.exit_code, 1);
  EXPECT_EQ(plain.error, "ringmaster: " + path +
                             ":2: this is a table of peer access (topo -p2p), not of how GPUs are "
                             "wired (the table that `nvidia-smi topo -m` prints is wanted)\n");
  const auto error = nlohmann::json::parse(run({"--json", "--from", path}).error)["error"];
  EXPECT_EQ(error["line"], 2);
  EXPECT_EQ(error["file"], path);
  EXPECT_EQ(run({"--from", folder_.file("none")}).exit_code, 1);
  EXPECT_EQ(run({"--format", "nccl", "--from", path}).exit_code, kExitUsage);
  EXPECT_EQ(run({"--diff", path}).exit_code, kExitUsage);
  EXPECT_EQ(run({path}).exit_code, kExitUsage);
  EXPECT_EQ(run({"--xml", "--json"}).exit_code, kExitUsage);
}

TEST_F(TopoCommand, AKnownMachineIsShownLikeAnyOther) {
  const auto outcome = run({"--known", "dgx-1"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
  EXPECT_NE(outcome.output.find("over 8 GPUs: 120.0 GB/s"), std::string::npos) << outcome.output;
  EXPECT_EQ(run({"--known", "dgx-9"}).exit_code, kExitUsage);
}

TEST_F(TopoCommand, ChoosesGpusAndSaysWhy) {
  const auto outcome = run({"--known", "dgx-1", "--choose", "3", "--taken", "2,3,4"});
  EXPECT_EQ(outcome.output,
            "GPUs 5-6-7 of the machine: 40.0 GB/s, the most that 3 free GPUs of one host have; 2 "
            "stay free there\n")
      << outcome.error;
  const auto json = nlohmann::json::parse(
      run({"--known", "dgx-1", "--choose", "1", "--taken", "0,1", "--json"}).output);
  EXPECT_EQ(json["gpus"].size(), 1u);
  EXPECT_TRUE(json["gb_s"].is_null()) << "one GPU has no ring";
  EXPECT_EQ(run({"--known", "dgx-1", "--choose", "3", "--taken", "0,1,2,3,4,5"}).error,
            "ringmaster: --choose 3: the job needs 3 GPUs: 2 are free on 1 host\n");
  EXPECT_EQ(run({"--known", "dgx-1", "--choose", "3", "--taken", "8"}).exit_code, 1);
}

TEST_F(TopoCommand, RingsOverSeveralHostsKeepToAnAdapterEach) {
  const auto outcome = run({"--known", "dgx-h100", "--hosts", "4"});
  EXPECT_NE(outcome.output.find("over 4 hosts of 8 GPUs: 370.8 GB/s"), std::string::npos)
      << outcome.output << outcome.error;
  EXPECT_NE(outcome.output.find("  mlx5_3   46.4  3-4-5-6-7-0-1-2\n"), std::string::npos)
      << outcome.output;
  const auto json =
      nlohmann::json::parse(run({"--known", "dgx-1", "--hosts", "2", "--json"}).output);
  EXPECT_EQ(json["rings"].size(), 4u);
  EXPECT_EQ(json["rings"][1]["nic"], "mlx5_1");
  EXPECT_EQ(json["rings_gb_s"], 48.0);
}

TEST_F(TopoCommand, RefusesWhatDoesNotGoTogether) {
  const std::vector<Arguments> lines = {{"--taken", "0"},
                                        {"--choose", "2", "--xml"},
                                        {"--diff", "a"},
                                        {"--known", "dgx-1", "-x"},
                                        {"--known", "l40s", "--from", "a"},
                                        {"word"},
                                        {"--choose", "0"},
                                        {"--hosts", "2", "--xml"},
                                        {"--diff", "a", "b", "--choose", "1"}};
  for (const Arguments& line : lines) EXPECT_EQ(run(line).exit_code, kExitUsage) << line.front();
}

}  // namespace
}  // namespace ringmaster::launcher
