// SPDX-License-Identifier: Apache-2.0
#include "launcher/process/descendants.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "launcher/process/test_processes.h"

namespace ringmaster::launcher {
namespace {

constexpr auto kDeadline = std::chrono::seconds(60);

TEST(ParseProcessStat, a_name_may_look_like_the_rest_of_the_line) {
  const auto process = parse_process_stat(
      "4711 (a) S 1 (x\n) 2 R) T 12 13 14 34816 14 4194560 1 2 3 4 5 6 7 8 20 0 3 0 987654321 1 "
      "2\n");
  ASSERT_TRUE(process.has_value());
  EXPECT_EQ(process->pid, 4711);
  EXPECT_EQ(process->name, "a) S 1 (x\n) 2 R");
  EXPECT_EQ(process->state, 'T');
  EXPECT_EQ(process->parent, 12);
  EXPECT_EQ(process->session, 14);
  EXPECT_EQ(process->threads, 3);
  EXPECT_EQ(process->start_time, 987654321U);
}

TEST(ParseProcessStat, what_is_cut_short_is_nothing) {
  const std::string whole = "1 (a) S 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22";
  EXPECT_TRUE(parse_process_stat(whole).has_value());
  for (std::size_t size = 0; size <= whole.rfind(' '); ++size)
    EXPECT_FALSE(parse_process_stat(whole.substr(0, size)).has_value()) << size;
  EXPECT_FALSE(parse_process_stat(") 1 ( S 2").has_value());
}

TEST(ReadProcess, sees_this_process_and_its_child) {
  const auto self = read_process(::getpid());
  ASSERT_TRUE(self.has_value());
  EXPECT_EQ(self->parent, ::getppid());
  const pid_t child = fork_and_run([] { return idle(); });
  const auto below = descendants_of(::getpid(), list_processes());
  EXPECT_TRUE(std::any_of(below.begin(), below.end(),
                          [&](const ProcessInfo& process) { return process.pid == child; }));
  EXPECT_TRUE(process_start_time(child).has_value());
  ::kill(child, SIGKILL);
  siginfo_t info = {};
  ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT);
  EXPECT_FALSE(process_start_time(child).has_value()) << "a zombie counts as gone";
  wait_for(child);
  EXPECT_FALSE(read_process(child).has_value());
}

TEST(DescendantsOf, a_kept_process_hides_its_subtree) {
  const auto process = [](pid_t pid, pid_t parent) {
    ProcessInfo info;
    info.pid = pid;
    info.parent = parent;
    return info;
  };
  const std::vector<ProcessInfo> all = {process(1, 0), process(2, 1), process(3, 2), process(4, 2),
                                        process(5, 4), process(6, 1), process(8, 9), process(9, 8)};
  const auto pids = [](const std::vector<ProcessInfo>& processes) {
    std::vector<pid_t> found;
    for (const auto& one : processes) found.push_back(one.pid);
    std::sort(found.begin(), found.end());
    return found;
  };
  EXPECT_EQ(pids(descendants_of(2, all)), (std::vector<pid_t>{3, 4, 5}));
  EXPECT_EQ(pids(descendants_of(1, all, {4})), (std::vector<pid_t>{2, 3, 6}));
  EXPECT_EQ(pids(descendants_of(8, all)), (std::vector<pid_t>{9})) << "a circle ends";
}

TEST(KillAllChildren, finds_what_left_its_session_and_ignores_signals) {
  TestPipe pipe;
  const pid_t reaper = fork_and_run([&] {
    become_subreaper();
    for (int i = 0; i < 3; ++i) {
      start_hidden_process(pipe);
      EXPECT_EQ(pipe.take(), 'h');
    }
    const bool killed = kill_all_children(kDeadline).ok();
    const bool no_child_left = ::waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD;
    return killed && no_child_left ? 7 : 8;
  });
  EXPECT_EQ(WEXITSTATUS(wait_for(reaper)), 7);
  pipe.write.reset();
  EXPECT_EQ(pipe.take(), '\0') << "nobody holds the pipe any more";
}

TEST(KillAllChildren, outruns_a_tree_that_grows_meanwhile) {
  TestPipe pipe;
  const pid_t reaper = fork_and_run([&] {
    become_subreaper();
    fork_and_run([&] {
      pipe.put('s');
      for (int i = 0; i < 300; ++i) {
        if (::fork() == 0) {
          ::setsid();
          idle();
        }
      }
      return 0;  // its children become orphans, if it comes that far
    });
    EXPECT_EQ(pipe.take(), 's');
    return kill_all_children(kDeadline).ok() ? 7 : 8;
  });
  EXPECT_EQ(WEXITSTATUS(wait_for(reaper)), 7);
  pipe.write.reset();
  EXPECT_EQ(pipe.take(), '\0');
}

TEST(KillAllChildren, spares_the_kept_and_what_is_below_them) {
  TestPipe kept, other;
  const pid_t reaper = fork_and_run([&] {
    become_subreaper();
    const pid_t rank = fork_and_run([&] {
      other.write.reset();
      become_subreaper();
      start_hidden_process(kept);
      return idle();
    });
    kept.write.reset();
    EXPECT_EQ(kept.take(), 'h');
    start_hidden_process(other);
    other.write.reset();
    EXPECT_EQ(other.take(), 'h');
    if (!kill_all_children(kDeadline, {rank}).ok()) return 1;
    if (other.take() != '\0') return 2;
    pollfd open = {.fd = kept.read.get(), .events = POLLIN, .revents = 0};
    if (::poll(&open, 1, 0) != 0) return 3;  // EOF: the kept ones were hit
    if (::waitpid(rank, nullptr, WNOHANG) != 0) return 4;
    if (!kill_all_children(kDeadline).ok()) return 5;
    return kept.take() == '\0' ? 7 : 6;
  });
  kept.write.reset();
  other.write.reset();
  EXPECT_EQ(WEXITSTATUS(wait_for(reaper)), 7);
}

TEST(KillDescendants, leaves_the_root_alone) {
  TestPipe pipe, stop;
  const pid_t root = fork_and_run([&] {
    become_subreaper();
    start_hidden_process(pipe);
    pipe.write.reset();
    return stop.take() == 'x' ? 7 : 8;
  });
  pipe.write.reset();
  EXPECT_EQ(pipe.take(), 'h');
  EXPECT_TRUE(kill_descendants(root, kDeadline).ok());
  EXPECT_EQ(pipe.take(), '\0');
  stop.put('x');
  EXPECT_EQ(WEXITSTATUS(wait_for(root)), 7);
}

TEST(KillDescendants, names_what_is_left_at_the_deadline) {
  const pid_t child = fork_and_run([] { return idle(); });
  const auto result = kill_descendants(::getppid(), Duration(0));
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, Errc::timed_out);
  EXPECT_NE(result.error().message.find(std::to_string(::getpid())), std::string::npos)
      << result.error().message;
  ::kill(child, SIGKILL);
  wait_for(child);
}

}  // namespace
}  // namespace ringmaster::launcher
