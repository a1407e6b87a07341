// SPDX-License-Identifier: Apache-2.0
//
// The exit code is that of the root cause, and one line on standard error says what it was.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

#include "tests/end_to_end/program.h"
#include "tests/end_to_end/text.h"

namespace ringmaster::tests {
namespace {

/// The one line that says why the job failed or was ended; "" and a failed test when it is not one.
std::string cause(const Ended& ended) {
  std::vector<std::string> found;
  for (const std::string& line : lines_with(ended.error, "ringrun: ")) {
    // How many ranks share the processors depends on the machine.
    if (!contains(line, " processors")) found.push_back(line);
  }
  EXPECT_EQ(found.size(), 1u) << ended.error;
  return found.empty() ? "" : found.front();
}

TEST(RingrunExit, ZeroWhenAllRanksEndWell) {
  const Ended ended = run_program({"ringrun", "-np", "4", "true"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(lines_with(ended.error, "ringrun: failed").size(), 0u) << ended.error;
}

TEST(RingrunExit, TheFirstFailureIsTheCauseAndEndsTheOthers) {
  // The others fail too when they are ended, with another code.
  const Ended ended = run_program({"ringrun", "-np", "4", "sh", "-c",
                                   "trap 'exit 9' TERM; [ $RANK = 2 ] && exit 7; "
                                   "while :; do sleep 0.05; done"});
  EXPECT_EQ(ended.exit_code, 7);
  const std::string line = cause(ended);
  EXPECT_TRUE(contains(line, "rank 2") && contains(line, "code 7")) << line;
}

TEST(RingrunExit, ASignalIsSaidByNameAndGives128AndItsNumber) {
  for (const auto& [number, name] :
       {std::pair{9, "SIGKILL"}, std::pair{11, "SIGSEGV"}, std::pair{15, "SIGTERM"}}) {
    const Ended ended =
        run_program({"ringrun", "-np", "3", "sh", "-c",
                     "[ $RANK = 1 ] && kill -" + std::to_string(number) + " $$; exec sleep 1000"});
    EXPECT_EQ(ended.exit_code, 128 + number);
    const std::string line = cause(ended);
    EXPECT_TRUE(contains(line, "rank 1") && contains(line, name)) << line;
  }
}

TEST(RingrunExit, AProgramThatIsNotThereGives127) {
  for (const std::string program : {"/no/such/program", "no-such-program-on-path", ""}) {
    const Ended ended = run_program({"ringrun", "-np", "4", program});
    EXPECT_EQ(ended.exit_code, 127) << program;
    EXPECT_TRUE(contains(cause(ended), program)) << ended.error;
  }
}

TEST(RingrunExit, AProgramThatCannotRunGives126) {
  TemporaryFolder folder;
  write_text(folder.file("plain"), "#!/bin/sh\nexit 0\n");
  write_text(folder.file("bad-interpreter"), "#!/no/such/shell\n");
  write_text(folder.file("no-format"), "\x01\x02\x03");
  write_text(folder.file("words"), "these are words\n");
  // The head of a 64-bit program for Alpha (0x9026), which few of us have.
  std::string alpha(
      "\x7f"
      "ELF\x02\x01\x01",
      7);
  alpha += std::string(9, '\0') + std::string("\x02\x00\x26\x90\x01\x00\x00\x00", 8);
  write_text(folder.file("alpha"), alpha + std::string(96, '\0'));
  for (const char* name : {"bad-interpreter", "no-format", "words", "alpha"}) {
    std::filesystem::permissions(folder.file(name), std::filesystem::perms::owner_all);
  }
  const std::pair<std::string, std::string> cases[] = {
      {folder.file("plain"), "not executable"},   {folder.path(), "directory"},
      {folder.file("bad-interpreter"), "interp"}, {folder.file("no-format"), "format"},
      {folder.file("words"), "\"#!\" line"},      {folder.file("alpha"), "another machine"}};
  for (const auto& [program, why] : cases) {
    const Ended ended = run_program({"ringrun", "-np", "2", program});
    EXPECT_EQ(ended.exit_code, 126) << program;
    EXPECT_TRUE(contains(cause(ended), why)) << ended.error;
  }
}

TEST(RingrunExit, ARankThatEndsWellEarlyStopsNobody) {
  // The others end only after rank 1 is gone: its pid is no process any more.
  TemporaryFolder folder;
  const Ended ended = run_shell(
      "ringrun -np 3 sh -c '[ $RANK = 1 ] && echo $$ > $HERE/new && mv $HERE/new $HERE/pid && exit;"
      "while [ ! -e $HERE/pid ] || [ -e /proc/$(cat $HERE/pid) ]; do sleep 0.05; done;"
      "echo went on'",
      {"HERE=" + folder.path()});
  EXPECT_EQ(ended.exit_code, 0) << ended.error;
  EXPECT_EQ(ended.output, "went on\nwent on\n");
}

TEST(RingrunExit, TheTimeLimitGives110) {
  const auto start = std::chrono::steady_clock::now();
  const Ended ended = run_program({"ringrun", "-np", "2", "--timeout", "0.5", "sleep", "1000"});
  const auto took = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(ended.exit_code, 110);
  EXPECT_TRUE(contains(cause(ended), "--timeout")) << ended.error;
  EXPECT_GE(took, std::chrono::milliseconds(500));
  EXPECT_LT(took, std::chrono::seconds(30));  // and not the thousand that the ranks want
}

TEST(RingrunExit, ATimeLimitThatIsNotReachedChangesNothing) {
  EXPECT_EQ(run_program({"ringrun", "-np", "2", "--timeout", "100", "true"}).exit_code, 0);
}

TEST(RingrunExit, NoProgressGives93AndSaysWhoWasSilent) {
  const Ended ended = run_program({"ringrun", "-np", "3", "--no-progress-timeout", "1", "sh", "-c",
                                   "[ $RANK = 2 ] && sleep 0.7; echo up; exec sleep 1000"});
  EXPECT_EQ(ended.exit_code, 93);
  EXPECT_TRUE(contains(cause(ended), "ended: no progress for 1 s (--no-progress-timeout)"))
      << ended.error;
  // Who is silent for longest comes first.
  const auto lines = lines_with(ended.error, "  rank ");
  ASSERT_EQ(lines.size(), 3u) << ended.error;
  EXPECT_TRUE(contains(lines[2], "rank 2: silent for 1.")) << lines[2];
  for (const std::string& line : lines) EXPECT_TRUE(contains(line, " s, sleeping")) << line;
}

TEST(RingrunExit, OutputOfOneRankIsProgressOfAll) {
  const Ended ended = run_program(
      {"ringrun", "-np", "2", "--no-progress-timeout", "1.5", "sh", "-c",
       "[ $RANK = 1 ] && exec sleep 2.2; for i in 1 2 3 4 5 6 7; do echo $i; sleep 0.3; done"});
  EXPECT_EQ(ended.exit_code, 0) << ended.error;
}

TEST(RingrunExit, StepsOfSessionsAreProgress) {
  const Ended ended = run_program({"ringrun", "-np", "2", "--no-progress-timeout", "1", "--timeout",
                                   "2", "elastic-c", "2000000000"});
  EXPECT_EQ(ended.exit_code, 110) << ended.error;
}

TEST(RingrunExit, WhoIgnoresTheSignalIsKilledAfterTheGrace) {
  TemporaryFolder folder;
  const auto start = std::chrono::steady_clock::now();
  const Ended ended = run_shell(
      "ringrun -np 3 --grace 0.3 sh -c 'trap \"\" TERM; : > $HERE/$RANK;"
      "[ $RANK = 0 ] && while [ ! -e $HERE/1 ] || [ ! -e $HERE/2 ]; do sleep 0.02; done && exit 5;"
      "while :; do sleep 0.05; done'",
      {"HERE=" + folder.path()});
  const auto took = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(ended.exit_code, 5);
  EXPECT_TRUE(contains(cause(ended), "rank 0")) << ended.error;
  EXPECT_GE(took, std::chrono::milliseconds(300));
}

}  // namespace
}  // namespace ringmaster::tests
