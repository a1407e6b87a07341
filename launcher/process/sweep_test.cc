// SPDX-License-Identifier: Apache-2.0
#include "launcher/process/sweep.h"

#include <gtest/gtest.h>

#include "launcher/process/spawn.h"
#include "launcher/process/test_processes.h"

namespace ringmaster::launcher {
namespace {

/// A process that only exists, until the pipe's reader is gone or it is killed.
pid_t start_idle_process() {
  return fork_and_run([] { return idle(); });
}

void end_process(pid_t pid) {
  ::kill(pid, SIGKILL);
  wait_for(pid);
}

Result<Child> start_tagged_process(const std::string& tag) {
  SpawnSpec spec;
  spec.command = {"/bin/sleep", "1000"};
  spec.environment = {"A=RINGMASTER_JOB=1.1.1.1", "RINGMASTER_JOBS=1.1.1.1",
                      "RINGMASTER_JOB=" + tag};
  return spawn(spec);
}

bool has_ended(const Child& child) {
  pollfd end = {.fd = child.pidfd.get(), .events = POLLIN, .revents = 0};
  return ::poll(&end, 1, 0) == 1;
}

TEST(IsAbandoned, needs_both_to_be_gone) {
  const pid_t guard = start_idle_process();
  const pid_t launcher = start_idle_process();
  const std::string tag = job_tag(guard, launcher);
  EXPECT_FALSE(is_abandoned(tag));
  end_process(guard);
  EXPECT_FALSE(is_abandoned(tag)) << "the launcher clears up";
  ::kill(launcher, SIGKILL);
  siginfo_t info = {};
  ::waitid(P_PID, static_cast<id_t>(launcher), &info, WEXITED | WNOWAIT);
  EXPECT_TRUE(is_abandoned(tag)) << "a zombie clears up nothing";
  wait_for(launcher);
  EXPECT_TRUE(is_abandoned(tag));
}

TEST(IsAbandoned, a_pid_used_anew_is_not_the_same_process) {
  const std::string pid = std::to_string(::getpid());
  EXPECT_FALSE(is_abandoned(job_tag(::getpid(), ::getpid())));
  EXPECT_TRUE(is_abandoned(pid + ".1." + pid + ".2"));
}

TEST(IsAbandoned, text_that_is_no_tag_is_never_abandoned) {
  for (const char* text : {"", "1", "1.2.3", "1.2.3.4.5", "1.2.3.4 ", "1.2.3.", "a.b.c.d",
                           "-1.2.3.4", "1..2.3", "99999999999999999999999.1.1.1"})
    EXPECT_FALSE(is_abandoned(text)) << text;
}

TEST(Sweep, kills_what_is_abandoned_and_nothing_else) {
  const pid_t guard = start_idle_process();
  const pid_t launcher = start_idle_process();
  auto lost = start_tagged_process(job_tag(guard, launcher));
  auto watched = start_tagged_process(job_tag(guard, ::getpid()));
  auto foreign = start_tagged_process("no tag");
  ASSERT_TRUE(lost.ok() && watched.ok() && foreign.ok());
  sweep();
  EXPECT_FALSE(has_ended(*lost)) << "its job is alive";
  end_process(guard);
  end_process(launcher);
  EXPECT_LE(1, sweep());
  EXPECT_EQ(WTERMSIG(wait_for(lost->pid)), SIGKILL);
  EXPECT_FALSE(has_ended(*watched));
  EXPECT_FALSE(has_ended(*foreign));
  end_process(watched->pid);
  end_process(foreign->pid);
}

}  // namespace
}  // namespace ringmaster::launcher
