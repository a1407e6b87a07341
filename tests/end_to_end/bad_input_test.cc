// SPDX-License-Identifier: Apache-2.0
//
// Wrong command lines: one line that says what is wrong and what would be right, and no start.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/end_to_end/program.h"
#include "tests/end_to_end/text.h"

namespace ringmaster::tests {
namespace {

struct Case {
  const char* arguments;
  std::vector<std::string> said;  // parts of the line
};

/// Runs `ringrun ARGUMENTS touch FILE`; the file tells whether anything was started.
Ended run_ringrun(const std::string& arguments) {
  TemporaryFolder folder;
  const std::string file = folder.file("started");
  const Ended ended = run_shell("ringrun " + arguments + " touch " + file);
  EXPECT_FALSE(std::filesystem::exists(file)) << arguments;
  return ended;
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"--elastc 2:4", {"--elastc", "did you mean --elastic?"}},
      {"--tag-ouput", {"did you mean --tag-output?"}},
      {"--wdirr /tmp", {"--wdirr", "did you mean --wdir?"}},
      {"--wdir /tmp --wdir /", {"--wdir", "twice"}},
      {"--wdir ''", {"--wdir", "no folder"}},
      {"-x ''", {"-x", "NAME=VALUE"}},
      {"-x A=1 -x A=2", {"A=2", "another -x"}},
      {"-x RINGMASTER_RANK=1", {"RINGMASTER_RANK", "leave it out"}},
      {"--env-file /no/such/file", {"/no/such/file", "No such file"}},
      {"--env-file /", {"--env-file", "Is a directory"}},
      {"--map core", {"--map core", "slot, node, numa"}},
      {"--bind socket", {"--bind socket", "auto, core, numa, none"}},
      {"-c 0", {"-c 0", "1 to 1024"}},
      {"--hostfile-format pbss", {"--hostfile-format pbss", "pbs"}},
      {"-np 1 true : -np 1 --map node", {"--map", "before the first program"}},
      {"-np 1 true :", {"how many ranks", "-np N"}},
      {"-np 1 --elastic 1:2 true : -np 1", {"--elastic", "one program"}},
      {"-np 4000 true : -np 97", {"4097 ranks", "4096"}},
      {"-np 0", {"-np 0", "1 to 4096"}},
      {"-np -1", {"-np -1", "1 to 4096"}},
      {"-np 99999999999", {"99999999999", "1 to 4096"}},
      {"-np 99999999999999999999999", {"99999999999999999999999"}},
      {"-np abc", {"-np abc", "number"}},
      {"-np 4x", {"-np 4x", "number"}},
      {"-np ''", {"-np", "number"}},
      {"-np 2 -np 3", {"-np", "twice"}},
      {"--elastic 4:2", {"4:2", "minimum"}},
      {"--elastic 0:2", {"0:2", "MIN:MAX"}},
      {"--elastic x", {"MIN:MAX"}},
      {"--elastic 2:", {"2:", "MIN:MAX"}},
      {"--elastic :2", {":2", "MIN:MAX"}},
      {"--elastic 2:4:6", {"MIN:MAX"}},
      {"--elastic 1:99999", {"4096"}},
      {"-np 3 --elastic 2:4", {"2:4", "-np says 3", "-np 4"}},
      {"-np 2 --output-ranks 2", {"--output-ranks 2", "0 to 1"}},
      {"-np 2 --output-ranks 1-0", {"--output-ranks 1-0", "0,4-7"}},
      {"-np 2 --restarts -1 --elastic 1:2", {"--restarts -1"}},
      {"-np 2 --drill kill:2@10", {"there is no rank 2", "0 to 1"}},
      {"-np 2 --drill kill:0", {"kill:RANK@STEP"}},
      {"-np 2 --drill kill:a@b", {"kill:RANK@STEP"}},
      {"-np 2 --drill kill:0@0", {"kill:RANK@STEP"}},
      {"-np 2 --drill stop:0@5", {"kill:RANK@STEP"}},
      {"-np 2 --timeout 0", {"--timeout 0"}},
      {"-np 2 --timeout nan", {"--timeout nan"}},
      {"-np 2 --grace -1", {"--grace -1"}},
      {"-np 2 --tag-output=yes", {"--tag-output"}},
  };
  return all;
}

TEST(BadInput, IsOneLineAndStartsNothing) {
  for (const Case& each : cases()) {
    SCOPED_TRACE(each.arguments);
    const Ended ended = run_ringrun(each.arguments);
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_EQ(ended.output, "");
    ASSERT_EQ(lines_of(ended.error).size(), 1u) << ended.error;
    EXPECT_EQ(ended.error.find("ringrun: "), 0u) << ended.error;
    for (const std::string& part : each.said)
      EXPECT_TRUE(contains(ended.error, part)) << ended.error;
  }
}

TEST(BadInput, AsJsonWhereverTheFlagStands) {
  for (const Case& each : cases()) {
    for (const std::string& arguments :
         {std::string("--json ") + each.arguments, std::string(each.arguments) + " --json"}) {
      // Behind a ':' it would be another program's, which has none.
      if (contains(each.arguments, " :") && arguments.ends_with("--json")) continue;
      SCOPED_TRACE(arguments);
      const Ended ended = run_ringrun(arguments);
      EXPECT_EQ(ended.exit_code, 2);
      ASSERT_EQ(lines_of(ended.error).size(), 1u) << ended.error;
      const auto json = nlohmann::json::parse(ended.error, nullptr, false);
      ASSERT_TRUE(json.contains("error")) << ended.error;
      EXPECT_EQ(json["error"]["code"].get<std::string>().empty(), false);
      EXPECT_TRUE(contains(json["error"]["message"].get<std::string>(), each.said[0]))
          << ended.error;
    }
  }
}

TEST(BadInput, TheProgramsOwnJsonFlagIsNotOurs) {
  const Ended ended = run_shell("ringrun -np 0 echo --json");
  EXPECT_EQ(ended.error, "ringrun: -np 0: out of bounds, it takes 1 to 4096\n");
}

TEST(BadInput, NoProgramIsNamed) {
  for (const std::string script : {"ringrun", "ringrun -np 4", "ringrun -np 4 --"}) {
    const Ended ended = run_shell(script);
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_EQ(lines_of(ended.error).size(), 1u) << ended.error;
    EXPECT_TRUE(contains(ended.error, "program")) << ended.error;
  }
}

TEST(BadInput, AFlagWithoutItsValue) {
  for (const std::string flag : {"-np", "--elastic", "--drill", "--timeout"}) {
    const Ended ended = run_program({"ringrun", flag});
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_EQ(lines_of(ended.error).size(), 1u) << ended.error;
    EXPECT_TRUE(contains(ended.error, flag)) << ended.error;
  }
}

}  // namespace
}  // namespace ringmaster::tests
