// SPDX-License-Identifier: Apache-2.0
//
// What ringrun says of a job that failed: the root cause, what its rank wrote last, and who went
// down with it.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

#include "base/control_group.h"
#include "base/sanitized.h"
#include "tests/end_to_end/program.h"
#include "tests/end_to_end/text.h"

namespace ringmaster::tests {
namespace {

TEST(RingrunCause, TheLastLinesOfTheRankAndWhoWasStopped) {
  const Ended ended = run_program({"ringrun", "-np", "4", "sh", "-c",
                                   "echo noise of $RANK >&2; [ $RANK = 2 ] || exec sleep 1000;"
                                   "sleep 0.3; seq 20 >&2; printf 'no such data set' >&2; exit 7"});
  EXPECT_EQ(ended.exit_code, 7);
  const std::string said =
      "ringrun: failed: rank 2: exited with code 7\n"
      "  rank 2 wrote last to standard error:\n"
      "    12\n    13\n    14\n    15\n    16\n    17\n    18\n    19\n    20\n"
      "    no such data set\n"
      "  ranks 0-1 and 3 were stopped because of it\n";
  EXPECT_TRUE(ended.error.ends_with(said)) << ended.error;
}

TEST(RingrunCause, WhoHadFailedBeforeItWasToldToEndIsNamed) {
  TemporaryFolder folder;
  Program program(
      {"ringrun", "-np", "3", "sh", "-c",
       "echo up; while [ $RANK = 2 ] || [ ! -e $HERE/go ]; do sleep 0.02; done; exit 3"},
      {"HERE=" + folder.path()});
  ASSERT_TRUE(program.wait_for_output("up\n", 3));
  const pid_t ranks[] = {program.pid_of_rank(0), program.pid_of_rank(1)};
  // Both end while nobody looks.
  const pid_t launcher = program.child();
  kill(launcher, SIGSTOP);
  write_text(folder.file("go"), "");
  for (const pid_t rank : ranks) EXPECT_TRUE(program.wait_for_state(rank, "Z"));
  kill(launcher, SIGCONT);
  const Ended ended = program.wait();
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_TRUE(contains(ended.error,
                       " failed by itself as well: exited with code 3\n"
                       "  rank 2 was stopped because of it\n"))
      << ended.error;
}

TEST(RingrunCause, ATracebackGivesTheReason) {
  const Ended ended = run_program({"ringrun", "-np", "2", "python3", "-c",
                                   "import os, time\n"
                                   "if os.environ['RANK'] == '0': time.sleep(1000)\n"
                                   "raise ValueError('the loss is not finite')"});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_TRUE(contains(ended.error,
                       "ringrun: failed: rank 1: exited with code 1: ValueError: the loss is not "
                       "finite\n"))
      << ended.error;
}

TEST(RingrunCause, ASingleRankIsNotRepeated) {
  const Ended ended = run_program({"ringrun", "-np", "1", "sh", "-c", "echo once >&2; exit 3"});
  EXPECT_EQ(ended.error, "once\nringrun: failed: rank 0: exited with code 3\n");
}

TEST(RingrunCause, TheFileOfItsOutputIsNamed) {
  TemporaryFolder folder;
  const Ended ended =
      run_program({"ringrun", "-np", "2", "--restarts", "1", "--output-dir", folder.path(), "sh",
                   "-c", "[ $RANK = 0 ] && exec sleep 1000; echo why >&2; exit 3"});
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_TRUE(contains(ended.error, "  rank 1 wrote last to " + folder.path() +
                                        "/attempt_1/1/stderr.log:\n    why\n"))
      << ended.error;
}

TEST(RingrunCause, ACoreIsFoundWhereItWasDumped) {
  const std::string pattern = read_text("/proc/sys/kernel/core_pattern");
  if (kSanitized || pattern.starts_with("|") || contains(pattern, "/")) {
    GTEST_SKIP() << "cores do not go to the folder of the program here";
  }
  TemporaryFolder folder;
  const Ended ended = run_shell(
      "ulimit -c unlimited && cd $HERE && ringrun -np 2 sh -c '"
      "[ $RANK = 0 ] && exec sleep 1000; kill -SEGV $$'",
      {"HERE=" + folder.path()});
  EXPECT_EQ(ended.exit_code, 139);
  EXPECT_TRUE(contains(
      ended.error,
      "failed: rank 1: killed by signal 11 (SIGSEGV): core dumped to " + folder.path() + "/core"))
      << ended.error;
}

/// A control group with 48 MiB, where this machine lets us make one.
class SmallGroup {
 public:
  SmallGroup() {
    const std::string groups = "/sys/fs/cgroup";
    const bool v1 = !own_control_group("", "memory").empty();
    const std::string parent = groups + (v1 ? "/memory" : "");
    folder_ = parent + "/ringmaster-test-" + std::to_string(getpid());
    std::error_code error;
    if (!std::filesystem::create_directory(folder_, error)) return;
    const std::string limit = folder_ + (v1 ? "/memory.limit_in_bytes" : "/memory.max");
    write_text(limit, "50331648\n");
    made_ = contains(read_text(limit), "50331648");
  }
  ~SmallGroup() {
    std::error_code error;
    std::filesystem::remove(folder_, error);
  }
  bool made() const { return made_; }
  const std::string& folder() const { return folder_; }

 private:
  std::string folder_;
  bool made_ = false;
};

TEST(RingrunCause, OutOfMemoryIsRecognised) {
  if (kSanitized) GTEST_SKIP() << "the sanitizers' own memory would not fit";
  const SmallGroup group;
  if (!group.made()) GTEST_SKIP() << "no control group with a limit of memory can be made here";
  const Ended ended = run_shell(
      "echo $$ > $GROUP/cgroup.procs && exec ringrun -np 2 sh -c '[ $RANK = 0 ] && exec sleep 1000;"
      " exec python3 -c \"x = bytearray(200 << 20)\"'",
      {"GROUP=" + group.folder()});
  EXPECT_EQ(ended.exit_code, 137) << ended.error;
  EXPECT_TRUE(contains(ended.error,
                       "failed: rank 1: killed by signal 9 (SIGKILL): out of memory: "
                       "control group /ringmaster-test-"))
      << ended.error;
  EXPECT_TRUE(contains(ended.error, " may have 48 MiB\n")) << ended.error;
}

}  // namespace
}  // namespace ringmaster::tests
