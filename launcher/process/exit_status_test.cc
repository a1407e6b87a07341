// SPDX-License-Identifier: Apache-2.0
#include "launcher/process/exit_status.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ringmaster::launcher {
namespace {

template <class Body>
pid_t fork_child(Body body) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    const rlimit no_core = {0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    body();
    ::_exit(0);
  }
  return pid;
}

/// Both ways to learn of an end must agree.
ExitStatus status_of(pid_t pid) {
  siginfo_t info = {};
  EXPECT_EQ(::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT), 0);
  int raw = 0;
  EXPECT_EQ(::waitpid(pid, &raw, 0), pid);
  EXPECT_EQ(ExitStatus::from_siginfo(info), ExitStatus::from_wait_status(raw));
  return ExitStatus::from_wait_status(raw);
}

TEST(ExitStatus, a_code_is_a_code) {
  const auto status = status_of(fork_child([] { ::_exit(3); }));
  EXPECT_EQ(status.exit_code(), 3);
  EXPECT_FALSE(status.by_signal);
  EXPECT_FALSE(status.success());
  EXPECT_EQ(status.describe(), "exited with code 3");
  EXPECT_TRUE(status_of(fork_child([] {})).success());
}

TEST(ExitStatus, a_signal_is_128_and_its_number) {
  const auto status = status_of(fork_child([] { ::raise(SIGKILL); }));
  EXPECT_EQ(status.exit_code(), 137);
  EXPECT_FALSE(status.success());
  EXPECT_EQ(status.describe(), "killed by signal 9 (SIGKILL)");
}

TEST(ExitStatus, the_core_bit_of_the_raw_status_stays_out_of_the_code) {
  const auto status = ExitStatus::from_wait_status(SIGABRT | 0x80);
  EXPECT_EQ(status.exit_code(), 134);
  EXPECT_EQ(status.describe(), "killed by signal 6 (SIGABRT) (core dumped)");
  EXPECT_EQ(ExitStatus::from_wait_status(SIGABRT).describe(), "killed by signal 6 (SIGABRT)");
}

TEST(ExitStatus, an_exit_code_above_128_is_no_signal) {
  const auto status = status_of(fork_child([] { ::_exit(137); }));
  EXPECT_EQ(status.describe(), "exited with code 137");
}

TEST(ExitStatus, real_time_signals_have_names) {
  EXPECT_EQ(signal_name(SIGRTMIN + 2), "SIGRTMIN+2");
  EXPECT_EQ(signal_name(SIGTERM), "SIGTERM");
  EXPECT_EQ(signal_name(4711), "signal 4711");
}

}  // namespace
}  // namespace ringmaster::launcher
