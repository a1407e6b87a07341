// SPDX-License-Identifier: Apache-2.0
#include "launcher/process/exit_status.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace ringmaster::launcher {
namespace {

template <class Body>
jobs::ExitStatus status_of_child(Body body) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    const rlimit no_core = {0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    body();
    ::_exit(0);
  }
  int raw = 0;
  EXPECT_EQ(::waitpid(pid, &raw, 0), pid);
  return exit_status_of(raw);
}

TEST(ExitStatus, ACodeIsACode) {
  const auto status = status_of_child([] { ::_exit(3); });
  EXPECT_EQ(status.outward(), 3);
  EXPECT_FALSE(status.success());
  EXPECT_EQ(jobs::describe(status), "exited with code 3");
  EXPECT_TRUE(status_of_child([] {}).success());
}

TEST(ExitStatus, ASignalIs128AndItsNumber) {
  const auto status = status_of_child([] { ::raise(SIGKILL); });
  EXPECT_EQ(status.outward(), 137);
  EXPECT_FALSE(status.success());
  EXPECT_EQ(jobs::describe(status), "killed by signal 9 (SIGKILL)");
  EXPECT_EQ(jobs::describe({0, SIGRTMIN + 3}),
            "killed by signal " + std::to_string(SIGRTMIN + 3) + " (SIGRTMIN+3)");
}

TEST(ExitStatus, TheCoreBitOfTheRawStatusStaysOutOfTheCode) {
  EXPECT_EQ(exit_status_of(SIGABRT | 0x80).outward(), 134);
}

TEST(ExitStatus, AnExitCodeAbove128IsNoSignal) {
  EXPECT_EQ(jobs::describe(status_of_child([] { ::_exit(137); })), "exited with code 137");
}

}  // namespace
}  // namespace ringmaster::launcher
