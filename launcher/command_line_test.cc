// SPDX-License-Identifier: Apache-2.0
#include "launcher/command_line.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>

namespace ringmaster::launcher {
namespace {

Result<CommandLine> parsed(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) words.push_back(word);
  return parse_command_line(words);
}

/// "2 a b | 1 c": ranks and commands.
std::string programs_of(const std::string& text) {
  const auto line = parsed(text);
  if (!line) return line.error().message;
  std::string programs;
  for (const ProgramLine& program : line->programs) {
    programs += fmt::format("{}{} {}", programs.empty() ? "" : " | ", program.settings.ranks,
                            fmt::join(program.command, " "));
  }
  return programs;
}

TEST(CommandLine, AColonSeparatesPrograms) {
  EXPECT_EQ(programs_of("-np 2 a : -np 1 b x"), "2 a | 1 b x");
  EXPECT_EQ(programs_of("-n 1 a -np 7 : --np=2 b : -np 3 -- c : d"), "1 a -np 7 | 2 b | 3 c : d");
  EXPECT_EQ(programs_of("-np 1 -- a : -np 1 b"), "1 a : -np 1 b") << "a word of the program";
  EXPECT_EQ(programs_of("a"), "0 a");
}

TEST(CommandLine, EachProgramHasItsOwnChoices) {
  const auto line = parsed("-np 1 -x A=1 --wdir /a --map node a : -np 1 -x A=2 -x B b");
  ASSERT_TRUE(line.ok()) << line.error().message;
  EXPECT_EQ(line->settings.map, "node");
  EXPECT_EQ(line->programs[0].settings.exports, std::vector<std::string>{"A=1"});
  EXPECT_EQ(line->programs[0].settings.directories, std::vector<std::string>{"/a"});
  EXPECT_EQ(line->programs[1].settings.exports, (std::vector<std::string>{"A=2", "B"}));
  EXPECT_TRUE(line->programs[1].settings.directories.empty());
}

TEST(CommandLine, WhatIsMissingIsSaid) {
  EXPECT_EQ(programs_of("-np 1 a : b"), "b: how many ranks? Each of several programs needs -np N");
  EXPECT_EQ(programs_of("-np 1 a :"), "which program stands behind the ':'? See ringrun --help");
  EXPECT_EQ(programs_of("-np 1 : -np 1 b"), "which program? See ringrun --help");
  EXPECT_EQ(programs_of(""), "which program? See ringrun --help");
  EXPECT_EQ(programs_of("-np 1 a : -np 1 -c 2 b"),
            "-c: it is for the whole job, and stands before the first program; behind a ':' there "
            "are -np, -x, --env-file and --wdir");
  EXPECT_EQ(programs_of("-np 1 a : --nq 1 b").find("unknown option --nq: did you mean --np?"), 0U);
  EXPECT_EQ(programs_of("--wdir a --wdir b c"), "--wdir: given twice");
}

TEST(CommandLine, HelpAndConfigurationNeedNoProgram) {
  EXPECT_TRUE(parsed("--help")->help);
  EXPECT_TRUE(parsed("-np 1 a : --help")->help);
  EXPECT_TRUE(parsed("--print-config -np 3")->print_config);
}

}  // namespace
}  // namespace ringmaster::launcher
