// SPDX-License-Identifier: Apache-2.0
//
// SIGKILL to whoever watches over a job, at any moment: nothing of it is left, not even what ranks
// have started in sessions of their own, deaf to every signal that can be ignored.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <thread>

#include "base/random.h"
#include "launcher/process/descendants.h"
#include "tests/end_to_end/program.h"
#include "tests/end_to_end/text.h"

namespace ringmaster::tests {
namespace {

/// Each rank hides a child and a grandchild, and says so twice.
constexpr const char* kHide = R"(
setsid sh -c 'trap "" TERM INT HUP QUIT; echo hidden; sleep 1000; sleep 1000' &
(setsid sh -c 'trap "" TERM INT HUP QUIT; echo hidden; sleep 1000; sleep 1000' &)
sleep 1000
)";

enum class Victim { guard, launcher, both };

/// Two ranks with all that they hide, and a temporary folder of their own.
struct Job {
  TemporaryFolder folder;
  Program program{{"ringrun", "-np", "2", "sh", "-c", kHide}, {"TMPDIR=" + folder.path()}};

  void kill_watchers(Victim victim) const {
    const pid_t launcher = program.child();
    if (victim != Victim::launcher) program.signal(SIGKILL);
    // No launcher yet: then there is only the program that will become the guard.
    if (victim != Victim::guard) kill(launcher > 0 ? launcher : program.pid(), SIGKILL);
  }
  void expect_nothing_left() const {
    EXPECT_TRUE(program.leaves_nothing());
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  }
};

TEST(RingrunLeftover, GrandchildrenEndWithTheJob) {
  TemporaryFolder folder;
  const Ended ended = run_shell(
      "ringrun -np 2 sh -c '"
      "setsid sh -c \"trap : TERM INT HUP; : > $HERE/$RANK; sleep 1000; sleep 1000\" & "
      "while [ ! -e $HERE/$RANK ]; do sleep 0.02; done'",
      {"HERE=" + folder.path()});
  EXPECT_EQ(ended.exit_code, 0) << ended.error;
}

TEST(RingrunLeftover, TheGuardIsKilled) {
  Job job;
  ASSERT_TRUE(job.program.wait_for_output("hidden\n", 4));
  job.kill_watchers(Victim::guard);
  EXPECT_EQ(job.program.wait().exit_code, 137);
  job.expect_nothing_left();
}

TEST(RingrunLeftover, TheLauncherIsKilled) {
  Job job;
  ASSERT_TRUE(job.program.wait_for_output("hidden\n", 4));
  job.kill_watchers(Victim::launcher);
  EXPECT_EQ(job.program.wait().exit_code, 137);
  job.expect_nothing_left();
}

TEST(RingrunLeftover, BothAreKilledAndTheNextStartSweeps) {
  Job job;
  ASSERT_TRUE(job.program.wait_for_output("hidden\n", 4));
  job.kill_watchers(Victim::both);
  EXPECT_EQ(job.program.wait().exit_code, 137);
  EXPECT_FALSE(job.program.marked().empty());  // what the sweep is for
  EXPECT_EQ(run_program({"ringrun", "-np", "1", "true"}).exit_code, 0);
  job.expect_nothing_left();
}

TEST(RingrunLeftover, AtAnyMomentOfTheStart) {
  Random random(20240607);
  for (const Victim victim : {Victim::guard, Victim::launcher, Victim::both}) {
    for (int turn = 0; turn < 12; ++turn) {
      const auto delay = std::chrono::microseconds(random.below(25000));
      SCOPED_TRACE("victim " + std::to_string(static_cast<int>(victim)) + " after " +
                   std::to_string(delay.count()) + " us");
      Job job;
      std::this_thread::sleep_for(delay);
      job.kill_watchers(victim);
      EXPECT_FALSE(job.program.wait().timed_out);
      if (victim == Victim::both) run_program({"ringrun", "-np", "1", "true"});
      job.expect_nothing_left();
    }
  }
}

TEST(RingrunLeftover, ARankIsKilledAndItsChildrenGoWithIt) {
  Job job;
  ASSERT_TRUE(job.program.wait_for_output("hidden\n", 4));
  kill(job.program.pid_of_rank(1), SIGKILL);
  const Ended ended = job.program.wait();
  EXPECT_EQ(ended.exit_code, 137);
  EXPECT_TRUE(contains(ended.error, "rank 1: killed by signal 9 (SIGKILL)")) << ended.error;
  job.expect_nothing_left();
}

TEST(RingrunLeftover, AnotherJobOfTheSameUserGoesOn) {
  // Both with the default options, on the same host: one loses its watchers and is swept away.
  TemporaryFolder folder;
  const std::vector<std::string> here = {"HERE=" + folder.path()};
  Program other({"ringrun", "-np", "2", "sh", "-c",
                 "echo port=$MASTER_PORT; while [ ! -e $HERE/go ]; do sleep 0.02; done; echo done"},
                here);
  ASSERT_TRUE(other.wait_for_output("port=", 2));
  Program victim(
      {"ringrun", "-np", "2", "sh", "-c", std::string("echo port=$MASTER_PORT;") + kHide}, here);
  ASSERT_TRUE(victim.wait_for_output("hidden\n", 4));
  EXPECT_FALSE(contains(victim.output(), lines_of(other.output()).front())) << "the same port";
  const pid_t launcher = victim.child();
  victim.signal(SIGKILL);
  kill(launcher, SIGKILL);
  EXPECT_EQ(victim.wait().exit_code, 137);
  EXPECT_EQ(run_program({"ringrun", "-np", "1", "true"}).exit_code, 0);
  EXPECT_TRUE(victim.leaves_nothing());
  write_text(folder.file("go"), "");
  const Ended ended = other.wait();
  EXPECT_EQ(ended.exit_code, 0) << ended.error;
  EXPECT_EQ(lines_with(ended.output, "done").size(), 2u);
}

/// The files that a process has open or mapped, by name.
std::string files_of(pid_t pid) {
  const std::string process = "/proc/" + std::to_string(pid);
  std::string names = read_text(process + "/maps");
  std::error_code gone;
  for (const auto& entry : std::filesystem::directory_iterator(process + "/fd", gone)) {
    names += std::filesystem::read_symlink(entry.path(), gone).string() + "\n";
  }
  return names;
}

TEST(RingrunLeftover, TheSharedMemoryHasNoNameThatCouldBeLeft) {
  TemporaryFolder folder;
  Program program({"ringrun", "-np", "3", "--elastic", "1:3", "elastic-c", "2000000000"},
                  {"TMPDIR=" + folder.path()});
  // Once it is in the ring, every rank has mapped it.
  ASSERT_TRUE(program.wait_for_error("in the ring"));
  for (int rank = 0; rank < 3; ++rank) {
    const std::string files = files_of(program.pid_of_rank(rank));
    EXPECT_TRUE(contains(files, "/memfd:")) << files;
    EXPECT_FALSE(contains(files, "/dev/shm/")) << files;
  }
  program.signal(SIGKILL);
  program.wait();
  EXPECT_TRUE(program.leaves_nothing());
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace ringmaster::tests
