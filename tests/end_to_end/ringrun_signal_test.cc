// SPDX-License-Identifier: Apache-2.0
//
// Signals from a terminal, from kill(1), from nohup and from timeout(1).
#include <gtest/gtest.h>

#include <csignal>
#include <thread>

#include "tests/end_to_end/program.h"
#include "tests/end_to_end/text.h"

namespace ringmaster::tests {
namespace {

/// Says "up", then runs until a signal that it does not handle.
constexpr const char* kRun = "echo up; while :; do sleep 0.05; done";

void expect_end(Program& program, int exit_code) {
  const Ended ended = program.wait();
  EXPECT_FALSE(ended.timed_out) << ended.error;
  EXPECT_EQ(ended.exit_code, exit_code) << ended.error;
  EXPECT_EQ(lines_with(ended.error, "ringrun: ended: stopped by SIG").size(), 1u) << ended.error;
  EXPECT_TRUE(program.leaves_nothing());
}

TEST(RingrunSignal, AnInterruptFromTheTerminalGives130) {
  Program program({"ringrun", "-np", "3", "sh", "-c", kRun});
  ASSERT_TRUE(program.wait_for_output("up\n", 3));
  program.signal_group(SIGINT);
  expect_end(program, 130);
}

TEST(RingrunSignal, RanksMayTakeTheGraceToCloseUp) {
  Program program({"ringrun", "-np", "3", "--grace", "60", "sh", "-c",
                   "trap 'sleep 0.4; echo closed; exit 0' INT; echo up; "
                   "while :; do sleep 0.05; done"});
  ASSERT_TRUE(program.wait_for_output("up\n", 3));
  program.signal_group(SIGINT);
  expect_end(program, 130);
  EXPECT_TRUE(program.wait_for_output("closed\n", 3)) << program.output();
}

TEST(RingrunSignal, RanksThatIgnoreTheInterruptAreKilledAfterTheGrace) {
  Program program({"ringrun", "-np", "3", "--grace", "0.3", "sh", "-c",
                   std::string("trap '' INT TERM; ") + kRun});
  ASSERT_TRUE(program.wait_for_output("up\n", 3));
  program.signal_group(SIGINT);
  expect_end(program, 130);
}

TEST(RingrunSignal, ASecondInterruptEndsAtOnce) {
  // With a grace above the limit of wait(), only "at once" can end it.
  Program program({"ringrun", "-np", "3", "--grace", "10000", "sh", "-c",
                   std::string("trap '' INT TERM; ") + kRun});
  ASSERT_TRUE(program.wait_for_output("up\n", 3));
  program.signal_group(SIGINT);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // a finger's pace
  program.signal_group(SIGINT);
  expect_end(program, 130);
}

TEST(RingrunSignal, AfterAnInterruptTheGraceIsFiveSeconds) {
  Program program({"ringrun", "-np", "2", "sh", "-c", std::string("trap '' INT TERM; ") + kRun});
  ASSERT_TRUE(program.wait_for_output("up\n", 2));
  const auto start = std::chrono::steady_clock::now();
  program.signal_group(SIGINT);
  const Ended ended = program.wait();
  const auto took = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(ended.exit_code, 130);
  EXPECT_GE(took, std::chrono::milliseconds(4900));
  EXPECT_LT(took, std::chrono::seconds(25));  // and not the thirty of other signals
  EXPECT_TRUE(contains(ended.error,
                       "  ranks 0-1 did not end within the grace of 5 s and were "
                       "killed\n"))
      << ended.error;
}

TEST(RingrunSignal, AnInterruptSkipsTheGraceOfAJobThatEndsAnyway) {
  Program program({"ringrun", "-np", "2", "--grace", "10000", "sh", "-c",
                   "trap '' INT TERM; echo up; "
                   "while :; do sleep 0.05; done"});
  ASSERT_TRUE(program.wait_for_output("up\n", 2));
  program.signal(SIGTERM);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  program.signal_group(SIGINT);
  expect_end(program, 143);
}

TEST(RingrunSignal, AQuitGives131) {
  Program program({"ringrun", "-np", "2", "sh", "-c", kRun});
  ASSERT_TRUE(program.wait_for_output("up\n", 2));
  program.signal_group(SIGQUIT);
  expect_end(program, 131);
}

TEST(RingrunSignal, KillOfRingrunGives143) {
  Program program({"ringrun", "-np", "3", "sh", "-c", kRun});
  ASSERT_TRUE(program.wait_for_output("up\n", 3));
  program.signal(SIGTERM);
  expect_end(program, 143);
}

TEST(RingrunSignal, AHangupGives129) {
  Program program({"ringrun", "-np", "2", "sh", "-c", kRun});
  ASSERT_TRUE(program.wait_for_output("up\n", 2));
  program.signal_group(SIGHUP);
  expect_end(program, 129);
}

TEST(RingrunSignal, NohupIgnoresTheHangup) {
  TemporaryFolder folder;
  Program program({"nohup", built("ringrun"), "-np", "2", "sh", "-c",
                   "echo up; while [ ! -e $HERE/go ]; do sleep 0.02; done; echo done"},
                  {"HERE=" + folder.path()});
  ASSERT_TRUE(program.wait_for_output("up\n", 2));
  program.signal_group(SIGHUP);
  program.signal(SIGHUP);
  write_text(folder.file("go"), "");
  const Ended ended = program.wait();
  EXPECT_EQ(ended.exit_code, 0) << ended.error;
  EXPECT_TRUE(program.wait_for_output("done\n", 2));
  EXPECT_TRUE(program.leaves_nothing());
}

TEST(RingrunSignal, UserSignalsReachTheRanks) {
  for (const int number : {SIGUSR1, SIGUSR2, SIGALRM}) {
    Program program(
        {"ringrun", "-np", "3", "sh", "-c",
         "trap 'echo heard; exit 0' USR1 USR2 ALRM; echo up; while :; do sleep 0.05; done"});
    ASSERT_TRUE(program.wait_for_output("up\n", 3));
    program.signal(number);
    const Ended ended = program.wait();
    EXPECT_EQ(ended.exit_code, 0) << ended.error;
    EXPECT_TRUE(program.wait_for_output("heard\n", 3));
    EXPECT_TRUE(program.leaves_nothing());
  }
}

TEST(RingrunSignal, TimeoutSignalsTwiceAndEndsOnce) {
  // timeout(1) signals its child and then its group. Taken for a second wish it would kill the
  // ranks before they have closed up.
  const Ended ended =
      run_program({"timeout", "1", built("ringrun"), "-np", "3", "--grace", "60", "sh", "-c",
                   "trap 'sleep 0.4; echo closed; exit 0' TERM; "
                   "while :; do sleep 0.05; done"});
  EXPECT_EQ(ended.exit_code, 124) << ended.error;
  EXPECT_EQ(lines_with(ended.error, "ringrun: ended: stopped by SIGTERM").size(), 1u);
  EXPECT_EQ(ended.output, "closed\nclosed\nclosed\n");
}

/// Presses ctrl-Z until the shell sees its job stopped.
bool stops(const Program& program) {
  for (int press = 0; press < 20; ++press) {
    std::this_thread::sleep_for(std::chrono::milliseconds(150));  // longer than an echo
    program.signal_group(SIGTSTP);
    if (program.wait_for_state(program.pid(), "T", std::chrono::seconds(2))) return true;
  }
  return false;
}

TEST(RingrunSignal, AJobThatTheTerminalStopsGoesOn) {
  TemporaryFolder folder;
  Program program({"ringrun", "-np", "2", "sh", "-c",
                   "echo up; while [ ! -e $HERE/go ]; do sleep 0.02; done; echo done"},
                  {"HERE=" + folder.path()});
  ASSERT_TRUE(program.wait_for_output("up\n", 2));
  const pid_t rank = program.pid_of_rank(1);
  for (int turn = 0; turn < 3; ++turn) {
    // The shell looks at its child, the guard. A stop right after a continue is taken for an echo,
    // and on a busy machine "right after" may be long: press again, as a user would.
    ASSERT_TRUE(stops(program));
    // A shell that stops between vfork and its child's exec waits in D for a child in T.
    EXPECT_TRUE(program.wait_for_state(rank, "TD"));
    std::this_thread::sleep_for(std::chrono::milliseconds(150));  // longer than an echo
    program.signal_group(SIGCONT);
    EXPECT_TRUE(program.wait_for_state(program.pid(), "SR"));
    EXPECT_TRUE(program.wait_for_state(rank, "SR"));
  }
  write_text(folder.file("go"), "");
  const Ended ended = program.wait();
  EXPECT_EQ(ended.exit_code, 0) << ended.error;
  EXPECT_TRUE(program.wait_for_output("done\n", 2));
  EXPECT_TRUE(program.leaves_nothing());
}

}  // namespace
}  // namespace ringmaster::tests
