// SPDX-License-Identifier: Apache-2.0
//
// Standard input: from pipes, files and terminals, to one rank, to all, or to none.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>

#include "tests/end_to_end/program.h"
#include "tests/end_to_end/text.h"

namespace ringmaster::tests {
namespace {

TEST(RingrunInput, GoesToRankZeroAndTheOthersHaveNone) {
  for (const char* from : {"printf 'a\\nb\\n' | ringrun", "ringrun < $HERE/file"}) {
    TemporaryFolder folder;
    write_text(folder.file("file"), "a\nb\n");
    const std::string line = from;
    const auto at = line.find("ringrun") + 7;
    const Ended ended =
        run_shell(line.substr(0, at) + " -np 3 sh -c 'cat > $HERE/$RANK'" + line.substr(at),
                  {"HERE=" + folder.path()});
    EXPECT_EQ(ended.exit_code, 0) << ended.error;
    EXPECT_EQ(read_text(folder.file("0")), "a\nb\n") << from;
    EXPECT_EQ(read_text(folder.file("1")) + read_text(folder.file("2")), "") << from;
  }
}

TEST(RingrunInput, WhatRankZeroDoesNotReadIsLeftForTheNextProgram) {
  const Ended ended = run_shell(
      "printf 'one\\ntwo\\n' | (ringrun -np 2 --stdin 1 sh -c "
      "'read -r line; echo rank $RANK: $line'; cat)");
  auto lines = lines_of(ended.output);
  std::ranges::sort(lines);
  EXPECT_EQ(lines, (std::vector<std::string>{"rank 0:", "rank 1: one", "two"}));
}

TEST(RingrunInput, GoesToAllAndEndsForAll) {
  for (const char* from : {"seq 50000 | ringrun", "ringrun < $HERE/file"}) {
    TemporaryFolder folder;
    ASSERT_EQ(run_shell("seq 50000 > $HERE/file", {"HERE=" + folder.path()}).exit_code, 0);
    const std::string line = from;
    const auto at = line.find("ringrun") + 7;
    // Rank 1 does not want it, and holds nobody up.
    const Ended ended = run_shell(
        line.substr(0, at) + " -np 3 --stdin all sh -c '[ $RANK = 1 ] || cat > $HERE/$RANK'" +
            line.substr(at),
        {"HERE=" + folder.path()});
    EXPECT_EQ(ended.exit_code, 0) << ended.error;
    const std::string all = read_text(folder.file("file"));
    EXPECT_EQ(read_text(folder.file("0")), all) << from;
    EXPECT_EQ(read_text(folder.file("2")), all) << from;
  }
}

TEST(RingrunInput, NoneIsForNobody) {
  const Ended ended = run_shell("echo all of it | (ringrun -np 2 --stdin none cat; cat)");
  EXPECT_EQ(ended.output, "all of it\n");
}

TEST(RingrunInput, ARankThatIsNotThereIsRefused) {
  const Ended ended = run_program({"ringrun", "-np", "2", "--stdin", "2", "true"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_TRUE(contains(ended.error, "--stdin 2: there is no rank 2")) << ended.error;
}

/// A session with a terminal of its own, in which a script runs.
class Terminal {
 public:
  explicit Terminal(const std::string& script) {
    const std::string path = std::string(RINGMASTER_BINARY_DIR) + ":" + getenv("PATH");
    int master = -1;
    pid_ = forkpty(&master, nullptr, nullptr, nullptr);
    if (pid_ == 0) {
      setenv("PATH", path.c_str(), 1);
      execl("/bin/sh", "sh", "-c", script.c_str(), nullptr);
      _exit(127);
    }
    master_.reset(master);
    fcntl(master, F_SETFL, O_NONBLOCK);
  }
  ~Terminal() {
    kill(pid_, SIGKILL);
    master_.reset();  // whoever is left hangs up
    waitpid(pid_, nullptr, 0);
  }
  void type(const std::string& keys) {
    EXPECT_EQ(write(master_.get(), keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
  }
  /// Waits until the screen shows it, half a minute at most.
  bool shows(const std::string& text) {
    for (int round = 0; round < 3000 && !contains(screen_, text); ++round) {
      char buffer[4096];
      const ssize_t size = read(master_.get(), buffer, sizeof buffer);
      if (size > 0) screen_.append(buffer, static_cast<std::size_t>(size));
      if (size <= 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return contains(screen_, text);
  }
  const std::string& screen() const { return screen_; }

 private:
  pid_t pid_ = -1;
  FileDescriptor master_;
  std::string screen_;
};

TEST(RingrunInput, ATerminalReachesRankZeroAndItsEndToo) {
  Terminal terminal(
      "ringrun -np 2 sh -c 'while read -r line; do echo \"<$RANK $line>\"; done; "
      "echo \"<$RANK end>\"'; echo code=$?");
  EXPECT_TRUE(terminal.shows("<1 end>")) << terminal.screen();
  terminal.type("first\n");
  EXPECT_TRUE(terminal.shows("<0 first>")) << terminal.screen();
  terminal.type("second\n\x04");
  EXPECT_TRUE(terminal.shows("<0 second>")) << terminal.screen();
  EXPECT_TRUE(terminal.shows("<0 end>")) << terminal.screen();
  EXPECT_TRUE(terminal.shows("code=0")) << terminal.screen();
}

TEST(RingrunInput, ATerminalIsNotReadInTheBackgroundAndGoesOnInFront) {
  Terminal terminal(
      "set -m; ringrun -np 1 sh -c 'echo up; read -r line; echo \"<got $line>\"' & "
      "sleep 1; echo waited; fg >/dev/null; echo code=$?");
  terminal.type("keys\n");
  EXPECT_TRUE(terminal.shows("waited")) << terminal.screen();
  EXPECT_TRUE(contains(terminal.screen(), "up")) << terminal.screen();
  EXPECT_FALSE(contains(terminal.screen(), "Stopped")) << terminal.screen();
  EXPECT_TRUE(terminal.shows("<got keys>")) << terminal.screen();
  // Its order tells, not what a look finds: fg comes right behind.
  EXPECT_LT(terminal.screen().find("waited"), terminal.screen().find("<got")) << terminal.screen();
  EXPECT_TRUE(terminal.shows("code=0")) << terminal.screen();
}

TEST(RingrunTerminal, ALineIsShownBeforeItHasEnded) {
  Terminal terminal("ringrun -np 2 sh -c 'printf \"<name? $RANK>\"; sleep 1000'");
  EXPECT_TRUE(terminal.shows("<name? 0>")) << terminal.screen();
  EXPECT_TRUE(terminal.shows("<name? 1>")) << terminal.screen();
}

TEST(RingrunTerminal, AReturnEndsALine) {
  Terminal terminal(
      "ringrun -np 1 --tag-output sh -c "
      "'for i in 1 2 3; do printf \"$i of 3\\r\"; done; sleep 1000'");
  EXPECT_TRUE(terminal.shows("3 of 3")) << terminal.screen();
  // Each has a tag of its own (in colour): a progress bar moves.
  EXPECT_TRUE(contains(terminal.screen(), " 1 of 3\r")) << terminal.screen();
  EXPECT_TRUE(contains(terminal.screen(), " 2 of 3\r")) << terminal.screen();
}

}  // namespace
}  // namespace ringmaster::tests
