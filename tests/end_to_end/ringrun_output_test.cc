// SPDX-License-Identifier: Apache-2.0
//
// Output arrives in whole lines, complete and in each rank's order, whoever reads it how slowly.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>
#include <thread>

#include "base/sanitized.h"
#include "tests/end_to_end/program.h"
#include "tests/end_to_end/text.h"

namespace ringmaster::tests {
namespace {

/// Writes numbered lines of many lengths; awk's own buffer cuts them anywhere.
std::string writer(int lines) {
  return "awk -v lines=" + std::to_string(lines) +
         " 'BEGIN { rank = ENVIRON[\"RANK\"]; for (i = 0; i < lines; ++i) {"
         " n = 100 + (i * 37 + rank * 101) % 2900; pad = sprintf(\"%*s\", n, \"\");"
         " gsub(/ /, substr(\"abcdefghijklmnop\", rank + 1, 1), pad);"
         " print rank, i, pad } }'";
}

std::string expected_line(int rank, int line) {
  const int size = 100 + (line * 37 + rank * 101) % 2900;
  return std::to_string(rank) + " " + std::to_string(line) + " " +
         std::string(static_cast<std::size_t>(size), static_cast<char>('a' + rank));
}

/// Every line of every rank once, in its rank's order.
void check_lines(const std::string& text, int ranks, int lines, bool tagged = false) {
  std::map<int, int> next;
  for (const std::string& line : lines_of(text)) {
    const int rank = std::atoi(line.c_str() + (tagged ? 1 : 0));
    const std::string tag = tagged ? "[" + std::to_string(rank) + "] " : "";
    ASSERT_EQ(line, tag + expected_line(rank, next[rank])) << "a torn, lost or moved line";
    ++next[rank];
  }
  for (int rank = 0; rank < ranks; ++rank) EXPECT_EQ(next[rank], lines) << "rank " << rank;
}

TEST(RingrunOutput, WholeLinesFromSixteenRanks) {
  const Ended ended = run_program({"sh", "-c", "ringrun -np 16 sh -c \"$WRITER\" | cat"},
                                  {"WRITER=" + writer(500)});
  EXPECT_EQ(ended.exit_code, 0) << ended.error;
  check_lines(ended.output, 16, 500);
}

TEST(RingrunOutput, ARankThatPausesInALineIsNotTorn) {
  const Ended ended = run_program({"ringrun", "-np", "3", "sh", "-c",
                                   "printf 'rank '; sleep 0.5; echo $RANK; sleep 0.3; printf end"});
  EXPECT_EQ(ended.exit_code, 0) << ended.error;
  for (const std::string line : {"rank 0\n", "rank 1\n", "rank 2\n"}) {
    EXPECT_TRUE(contains(ended.output, line)) << ended.output;
  }
  EXPECT_TRUE(contains(ended.output, "endendend")) << ended.output;
}

TEST(RingrunOutput, TagsBeginEachLine) {
  const Ended ended = run_program({"ringrun", "-np", "4", "--tag-output", "sh", "-c", writer(200)});
  EXPECT_EQ(ended.exit_code, 0) << ended.error;
  check_lines(ended.output, 4, 200, true);
}

TEST(RingrunOutput, ASlowReaderHoldsTheRanksBackAndLosesNothing) {
  TemporaryFolder folder;
  const std::string fifo = folder.file("fifo");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  Program program({"sh", "-c", "exec ringrun -np 4 sh -c \"$WRITER\" > $FIFO"},
                  {"WRITER=" + writer(300), "FIFO=" + fifo});
  const FileDescriptor end(open(fifo.c_str(), O_RDONLY | O_CLOEXEC));
  fcntl(end.get(), F_SETPIPE_SZ, 4096);
  std::string text;
  char buffer[1024];
  ssize_t size = 0;
  while ((size = read(end.get(), buffer, sizeof buffer)) > 0) {
    text.append(buffer, static_cast<std::size_t>(size));
    std::this_thread::sleep_for(std::chrono::microseconds(300));
  }
  EXPECT_EQ(program.wait().exit_code, 0);
  check_lines(text, 4, 300);
  EXPECT_TRUE(program.leaves_nothing());
}

TEST(RingrunOutput, AReaderThatStandsStillCostsNoMemory) {
  TemporaryFolder folder;
  const std::string fifo = folder.file("fifo");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  Program program({"sh", "-c", "exec ringrun -np 8 --tag-output yes > $FIFO"}, {"FIFO=" + fifo});
  const FileDescriptor end(open(fifo.c_str(), O_RDONLY | O_CLOEXEC));
  char buffer[4096];
  ASSERT_GT(read(end.get(), buffer, sizeof buffer), 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  const std::string status = read_text("/proc/" + std::to_string(program.child()) + "/status");
  const std::size_t at = status.find("VmHWM:");
  ASSERT_NE(at, std::string::npos) << status;
  EXPECT_LT(std::stol(status.substr(at + 6)), kSanitized ? 1000000 : 64000) << "kB";
  program.signal(SIGTERM);
  while (read(end.get(), buffer, sizeof buffer) > 0) {
  }
  EXPECT_EQ(program.wait().exit_code, 143);
}

TEST(RingrunOutput, WhatAKilledRankWroteIsComplete) {
  const Ended ended =
      run_program({"ringrun", "-np", "1", "sh", "-c", writer(300) + "; kill -9 $$"});
  EXPECT_EQ(ended.exit_code, 137);
  check_lines(ended.output, 1, 300);
}

TEST(RingrunOutput, ALastLineWithoutAnEndArrives) {
  const Ended ended = run_program({"ringrun", "-np", "1", "printf", "first\nlast"});
  EXPECT_EQ(ended.output, "first\nlast");
  const Ended binary = run_program({"ringrun", "-np", "1", "printf", "\\000\\001\\377\\n\\000"});
  EXPECT_EQ(binary.output, std::string("\0\1\377\n\0", 5));
}

TEST(RingrunOutput, StandardErrorStaysApart) {
  const Ended ended =
      run_program({"ringrun", "-np", "1", "sh", "-c", "echo to output; echo to error >&2"});
  EXPECT_EQ(ended.output, "to output\n");
  EXPECT_EQ(lines_with(ended.error, "to error").size(), 1u) << ended.error;
}

TEST(RingrunOutput, AReaderThatLeavesEndsTheJob) {
  TemporaryFolder folder;
  const Ended ended = run_shell(
      "(ringrun -np 2 sh -c 'while :; do echo line; done'; echo $? > $HERE/code) | head -n 1",
      {"HERE=" + folder.path()});
  EXPECT_EQ(ended.output, "line\n");
  EXPECT_EQ(read_text(folder.file("code")), "141\n");  // as SIGPIPE would
  EXPECT_EQ(lines_with(ended.error, "ringrun: ").size(), 1u) << ended.error;
}

TEST(RingrunOutput, AFullDiskIsAnErrorThatIsSaid) {
  const Ended ended = run_shell("ringrun -np 2 sh -c 'echo line; exec sleep 1000' > /dev/full");
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_TRUE(contains(ended.error, "No space left on device")) << ended.error;
}

}  // namespace
}  // namespace ringmaster::tests
