// SPDX-License-Identifier: Apache-2.0
#include "launcher/variables.h"

#include <gtest/gtest.h>

namespace ringmaster::launcher {
namespace {

using Texts = std::vector<std::string>;

const Texts kInherited = {"HOME=/home/kim", "EMPTY=", "A=of the environment"};

Variables chosen(const Texts& exports, const std::string& file = "") {
  const auto result = choose_variables(exports, {{"vars", file}}, kInherited);
  CHECK(result.ok());
  return result->variables;
}

std::string refused(const Texts& exports, const std::string& file = "") {
  const auto result = choose_variables(exports, {{"vars", file}}, kInherited);
  return result.ok() ? "" : result.error().message;
}

TEST(Variables, ExportsAreNamesWithOrWithoutAValue) {
  EXPECT_EQ(chosen({"B=1", "HOME", "C=a=b ", "D="}),
            (Variables{{"B", "1"}, {"C", "a=b "}, {"D", ""}, {"HOME", "/home/kim"}}));
  EXPECT_EQ(chosen({"B=1", "B=1"}), (Variables{{"B", "1"}}));
}

TEST(Variables, OneThatIsNotSetHereIsSaid) {
  const auto result = choose_variables({"NONE"}, {}, kInherited);
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result->variables.empty());
  EXPECT_EQ(result->remarks, Texts{"-x NONE: not set here, so ranks do not get it"});
}

TEST(Variables, LinesKeepQuotesAndDollars) {
  EXPECT_EQ(chosen({}, "# words\n\nA=\"$HOME\" 'x' # y \\n \r\nHOME\nB="),
            (Variables{{"A", "\"$HOME\" 'x' # y \\n "}, {"B", ""}, {"HOME", "/home/kim"}}));
}

TEST(Variables, NulsKeepEveryByte) {
  const std::string odd = "one\ntwo\r\n# \"'$x\xff\u20ac ", large(100000, 'x');
  EXPECT_EQ(chosen({}, "A=" + odd + std::string(1, '\0') + "B=" + large + std::string(1, '\0')),
            (Variables{{"A", odd}, {"B", large}}));
}

TEST(Variables, ExportsWinOverFiles) {
  EXPECT_EQ(chosen({"A=2"}, "A=1\nA=3\nB=4\n"), (Variables{{"A", "2"}, {"B", "4"}}));
}

TEST(Variables, WhatIsNoVariableIsRefusedWithItsPlace) {
  EXPECT_EQ(refused({}, "A=1\nexport B=2\n"),
            "vars:2: \"export B=2\": no variable (write NAME=VALUE, or NAME for the value that it "
            "has)");
  EXPECT_NE(refused({"=1"}), "");
  EXPECT_NE(refused({""}), "");
  EXPECT_EQ(refused({"RINGMASTER_RANK=7"}),
            "-x: \"RINGMASTER_RANK=7\": ringrun sets this one itself (leave it out)");
  EXPECT_EQ(refused({"A=1", "A=2"}),
            "-x: \"A=2\": another -x gives it another value (give it once)");
}

TEST(Variables, TakeThePlaceOfThoseOfTheSameName) {
  Texts environment = {"A=1", "AB=2", "C=3", "A=4"};
  set_variables(environment, {{"A", "5"}, {"D", "6"}});
  EXPECT_EQ(environment, (Texts{"AB=2", "C=3", "A=5", "D=6"}));
}

}  // namespace
}  // namespace ringmaster::launcher
