// SPDX-License-Identifier: Apache-2.0
//
// The command beside launcher/commands/hostlist.cc: files in, lines or JSON out.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "launcher/commands/command.h"

namespace ringmaster::launcher {
namespace {

struct HostlistOutcome {
  int exit_code = 0;
  std::string output = {}, error = {};
};

class HostlistCommand : public testing::Test {
 protected:
  HostlistCommand() { std::filesystem::create_directory(folder_); }
  ~HostlistCommand() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& name, const std::string& text) {
    std::ofstream(folder_ + "/" + name, std::ios::binary) << text;
    return folder_ + "/" + name;
  }

  static HostlistOutcome run(const Arguments& arguments) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    HostlistOutcome outcome;
    outcome.exit_code = run_hostlist(arguments);
    outcome.output = testing::internal::GetCapturedStdout();
    outcome.error = testing::internal::GetCapturedStderr();
    return outcome;
  }

  const std::string folder_ = testing::TempDir() + "hostlist-" +
                              testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(HostlistCommand, PrintsHostsInTheirOrder) {
  const auto outcome = run({file("h", "n2 slots=2 max_slots=4\nkim@n10 port=22\n")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
  EXPECT_EQ(outcome.output,
            "n2   2 slots, at most 4\n"
            "n10  as many slots as it has, user kim, port 22\n"
            "2 hosts, 2 slots and what 1 of them have (openmpi)\n");
}

TEST_F(HostlistCommand, JsonHasWhatIsKnown) {
  const auto outcome = run({"--json", file("h", "n2 slots=2 max_slots=4\nkim@n10 port=22\n")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
  EXPECT_EQ(outcome.output, R"({"format":"openmpi","hosts":[{"host":"n2","slots":2,"max":4},)"
                            R"({"host":"n10","slots":"auto","user":"kim","port":22}],"notes":[]})"
                            "\n");
}

TEST_F(HostlistCommand, OtherInputs) {
  const std::string hosts = file("h", "n1 slots=2\nn2 slots=2\n");
  const std::string ranks = file("r", "rank 0=+n1 slot=0,1\n");
  const auto by_rank =
      nlohmann::json::parse(run({"--format", "rankfile", "--json", hosts, "--and", ranks}).output);
  EXPECT_EQ(by_rank["ranks"].dump(), R"([{"host":"n2","rank":0,"slots":"0,1"}])");
  const auto picked = nlohmann::json::parse(run({hosts, "--args", "-H +n1:1", "--json"}).output);
  EXPECT_EQ(picked["hosts"].dump(), R"([{"host":"n2","slots":1}])");
  const auto gpus = nlohmann::json::parse(
      run({hosts, "--format=deepspeed", "--args", "--include n1:1", "--json"}).output);
  EXPECT_EQ(gpus["hosts"].dump(), R"([{"host":"n1","slot_ids":[1],"slots":1}])");
  const auto tasks = run({file("s", "n[1-2]\n"), "--tasks", "3(x2)"});
  EXPECT_EQ(tasks.output,
            "n1  3 slots\nn2  3 slots\n2 hosts, 6 slots (slurm)\nnote: read as slurm\n");
}

TEST_F(HostlistCommand, ErrorsNameFileLineAndEntry) {
  const std::string path = file("h", "n1 slots=2\nn2 slot=2\n");
  const auto plain = run({"--format", "openmpi", path});
  EXPECT_EQ(plain.exit_code, kExitFailed);
  EXPECT_EQ(plain.output, "");
  EXPECT_EQ(plain.error, "ringmaster: " + path +
                             ":2: \"n2 slot=2\": \"slot\" is no key of a hostfile (did you mean "
                             "slots=?)\n");
  const auto json = run({"--json", path});
  EXPECT_EQ(json.exit_code, kExitFailed);
  const auto error = nlohmann::json::parse(json.error)["error"];
  EXPECT_EQ(error["file"], path);
  EXPECT_EQ(error["line"], 2);
  EXPECT_EQ(error["entry"], "n2 slot=2");
}

TEST_F(HostlistCommand, WhatIsNoListIsSaid) {
  EXPECT_EQ(run({folder_}).error, "ringmaster: " + folder_ + ": Is a directory\n");
  EXPECT_EQ(run({folder_ + "/none"}).error,
            "ringmaster: " + folder_ + "/none: No such file or directory\n");
  EXPECT_NE(run({file("e", "")}).error.find("names no host"), std::string::npos);
  EXPECT_EQ(run({file("e", "# n1\n")}).exit_code, kExitFailed);
}

TEST_F(HostlistCommand, UsageIsChecked) {
  const auto unknown = run({"--format", "hydar", "x"});
  EXPECT_EQ(unknown.exit_code, kExitUsage);
  EXPECT_NE(unknown.error.find("did you mean hydra?"), std::string::npos) << unknown.error;
  EXPECT_EQ(run({}).exit_code, kExitUsage);
  EXPECT_EQ(run({"a", "b"}).exit_code, kExitUsage);
  EXPECT_EQ(run({"-", "--and", "-"}).exit_code, kExitUsage);
  EXPECT_EQ(run({"--allocation", "a"}).exit_code, kExitUsage);
  const auto help = run({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  for (const char* format : {"openmpi-host", "lsf-mcpu", "user-host-port"}) {
    EXPECT_NE(help.output.find(std::string("\n  ") + format), std::string::npos) << format;
  }
}

}  // namespace
}  // namespace ringmaster::launcher
