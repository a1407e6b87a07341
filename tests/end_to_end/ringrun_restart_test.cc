// SPDX-License-Identifier: Apache-2.0
//
// Plain jobs that start again, and the files in which the output of each attempt is kept.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <regex>
#include <thread>

#include "tests/end_to_end/program.h"
#include "tests/end_to_end/text.h"

namespace ringmaster::tests {
namespace {

TEST(RingrunRestart, AllRanksStartAgainUntilTheWorkIsDone) {
  // Rank 1 fails twice; rank 0 would wait for it for ever.
  const Ended ended = run_program(
      {"ringrun", "-np", "2", "--restarts", "3", "sh", "-c",
       "[ $RINGMASTER_RESTART = 2 ] && echo $RANK $TORCHELASTIC_RESTART_COUNT && exit 0; "
       "[ $RANK = 1 ] && exit 3; exec sleep 1000"});
  EXPECT_EQ(ended.exit_code, 0) << ended.error;
  auto lines = lines_of(ended.output);
  std::ranges::sort(lines);
  EXPECT_EQ(lines, (std::vector<std::string>{"0 2", "1 2"}));
  for (const std::string said :
       {"ringrun: rank 1: exited with code 3; all ranks start again, restart 1 of 3\n",
        "ringrun: rank 1: exited with code 3; all ranks start again, restart 2 of 3\n"}) {
    EXPECT_TRUE(contains(ended.error, said)) << ended.error;
  }
}

TEST(RingrunRestart, TheLastFailureEndsTheJobAndEachAttemptMeetsAnew) {
  const Ended ended = run_program({"ringrun", "-np", "2", "--restarts", "2", "sh", "-c",
                                   "[ $RANK = 0 ] || { echo $MASTER_PORT; exit 7; }; exec sleep "
                                   "1000"});
  EXPECT_EQ(ended.exit_code, 7);
  EXPECT_TRUE(contains(ended.error,
                       "ringrun: failed: rank 1: exited with code 7; all 2 restarts are used up"))
      << ended.error;
  auto ports = lines_of(ended.output);
  EXPECT_EQ(ports.size(), 3u) << ended.output;
}

TEST(RingrunRestart, AStopEndsAJobThatIsBetweenAttempts) {
  // The first attempt's other rank takes its time to go.
  Program program({"ringrun", "-np", "2", "--restarts", "9", "sh", "-c",
                   "[ $RANK = 1 ] && exit 3; trap '' TERM; while :; do sleep 0.1; done"});
  ASSERT_TRUE(program.wait_for_error("restart 1 of 9"));
  program.signal(SIGTERM);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // or it would be an echo
  program.signal(SIGTERM);                                      // the second one is without grace
  const Ended ended = program.wait();
  EXPECT_EQ(ended.exit_code, 143) << ended.error;
  EXPECT_FALSE(contains(ended.error, "restart 2 of 9")) << ended.error;
  EXPECT_TRUE(program.leaves_nothing());
}

TEST(RingrunFiles, HaveEachRankAndAttemptAsItWasWritten) {
  TemporaryFolder folder;
  const Ended ended = run_program(
      {"ringrun", "-np", "3", "--restarts", "1", "--output-dir", folder.file("out"),
       "--output-ranks", "0,2", "--tag-output", "sh", "-c",
       "echo out $RANK; printf 'err %s' $RANK >&2; [ $RINGMASTER_RESTART = 1 ] || exit 3"});
  EXPECT_EQ(ended.exit_code, 0) << ended.error;
  EXPECT_FALSE(contains(ended.output, "out 1")) << ended.output;
  EXPECT_TRUE(contains(ended.output, "[2] out 2\n")) << ended.output;
  for (const std::string rank : {"0", "1", "2"}) {
    const std::string files = folder.file("out/attempt_1/" + rank);
    EXPECT_EQ(read_text(files + "/stdout.log"), "out " + rank + "\n");
    EXPECT_EQ(read_text(files + "/stderr.log"), "err " + rank);
  }
  EXPECT_TRUE(std::filesystem::exists(folder.file("out/attempt_0/0/stdout.log")));
  EXPECT_FALSE(std::filesystem::exists(folder.file("out/attempt_2")));
}

TEST(RingrunFiles, KeepWhatAKilledRankHadWritten) {
  TemporaryFolder folder;
  const Ended ended = run_program({"ringrun", "-np", "1", "--output-dir", folder.path(), "sh", "-c",
                                   "seq 20000; printf 'no end'; kill -KILL $$"});
  EXPECT_EQ(ended.exit_code, 137);
  const std::string kept = read_text(folder.file("attempt_0/0/stdout.log"));
  EXPECT_EQ(kept, ended.output);
  EXPECT_TRUE(kept.ends_with("20000\nno end")) << kept.size();
}

TEST(RingrunFiles, WhereNoneCanBeIsSaidBeforeAnythingStarts) {
  TemporaryFolder folder;
  write_text(folder.file("file"), "");
  for (const std::string& place : {folder.file("file"), folder.file("file/in")}) {
    const Ended ended = run_program(
        {"ringrun", "-np", "2", "--output-dir", place, "touch", folder.file("started")});
    EXPECT_EQ(ended.exit_code, 1);
    ASSERT_EQ(lines_of(ended.error).size(), 1u) << ended.error;
    EXPECT_TRUE(contains(ended.error, "--output-dir " + place + ": Not a directory"))
        << ended.error;
    EXPECT_FALSE(std::filesystem::exists(folder.file("started")));
  }
}

TEST(RingrunFiles, LinesBeginWithTheirTimeWhereThatIsWanted) {
  const Ended ended =
      run_program({"ringrun", "-np", "2", "--timestamp-output", "--tag-output", "echo", "hello"});
  const auto lines = lines_of(ended.output);
  EXPECT_EQ(lines.size(), 2u) << ended.output;
  const std::regex form(R"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} \[[01]\] hello)");
  for (const std::string& line : lines) EXPECT_TRUE(std::regex_match(line, form)) << line;
}

TEST(RingrunRestart, WhatTorchRecordedIsTheReason) {
  const Ended ended = run_program({"ringrun", "-np", "2", "sh", "-c",
                                   "[ $RANK = 0 ] && exec sleep 1000; echo '{\"message\": "
                                   "{\"message\": \"ValueError: no such thing\"}}' > "
                                   "$TORCHELASTIC_ERROR_FILE; exit 1"});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_TRUE(contains(ended.error, "ringrun: failed: rank 1: ValueError: no such thing"))
      << ended.error;
}

TEST(RingrunRestart, WhatAnEarlierAttemptRecordedIsNotTheReasonOfALaterFailure) {
  const Ended ended = run_program({"ringrun", "-np", "1", "--restarts", "1", "sh", "-c",
                                   "[ $RINGMASTER_RESTART = 1 ] && exit 5; echo '{\"message\": "
                                   "{\"message\": \"ValueError: the first\"}}' > "
                                   "$TORCHELASTIC_ERROR_FILE; exit 1"});
  EXPECT_EQ(ended.exit_code, 5);
  EXPECT_TRUE(contains(ended.error, "rank 0: ValueError: the first; all ranks start again"))
      << ended.error;
  EXPECT_TRUE(contains(ended.error, "failed: rank 0: exited with code 5")) << ended.error;
}

}  // namespace
}  // namespace ringmaster::tests
