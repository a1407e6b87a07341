// SPDX-License-Identifier: Apache-2.0
#include "launcher/process/guard.h"

#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <termios.h>

#include "launcher/process/descendants.h"
#include "launcher/process/test_processes.h"

namespace ringmaster::launcher {
namespace {

template <class Body>
pid_t fork_guard(Body body) {
  return fork_and_run([&] {
    ::setpgid(0, 0);
    return run_guarded(body);
  });
}

int wait_for_signal(std::initializer_list<int> numbers) {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int number : numbers) ::sigaddset(&set, number);
  return ::sigwaitinfo(&set, nullptr);
}

void block(std::initializer_list<int> numbers) {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int number : numbers) ::sigaddset(&set, number);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
}

TEST(Guard, returns_the_code_of_the_body) {
  const pid_t guard = fork_guard([] { return guard_pid() == ::getppid() ? 5 : 6; });
  EXPECT_EQ(WEXITSTATUS(wait_for(guard)), 5);
}

TEST(Guard, clears_up_after_a_body_that_was_killed) {
  TestPipe pipe;
  const pid_t guard = fork_guard([&] {
    for (int i = 0; i < 2; ++i) {
      start_hidden_process(pipe);
      EXPECT_EQ(pipe.take(), 'h');
    }
    ::raise(SIGKILL);
    return 0;
  });
  EXPECT_EQ(WEXITSTATUS(wait_for(guard)), 137);
  pipe.write.reset();
  EXPECT_EQ(pipe.take(), '\0') << "the guard goes last";
}

TEST(Guard, clears_up_after_a_body_that_returned) {
  TestPipe pipe;
  const pid_t guard = fork_guard([&] {
    start_hidden_process(pipe);
    EXPECT_EQ(pipe.take(), 'h');
    return 3;
  });
  EXPECT_EQ(WEXITSTATUS(wait_for(guard)), 3);
  pipe.write.reset();
  EXPECT_EQ(pipe.take(), '\0');
}

TEST(Guard, when_the_guard_is_killed_the_body_hears_it_and_clears_up) {
  TestPipe pipe;
  const pid_t guard = fork_guard([&] {
    start_hidden_process(pipe);
    pollfd gone = {.fd = guard_fd(), .events = POLLIN, .revents = 0};
    EXPECT_EQ(::poll(&gone, 1, -1), 1);
    pipe.put('g');
    EXPECT_TRUE(kill_all_children().ok());
    return 0;
  });
  EXPECT_EQ(pipe.take(), 'h');
  ::kill(guard, SIGKILL);
  EXPECT_EQ(WTERMSIG(wait_for(guard)), SIGKILL);
  pipe.write.reset();
  EXPECT_EQ(pipe.take_all(), "g") << "and EOF: the body and the hidden process are gone";
}

TEST(Guard, forwards_what_kill_sends_to_it_alone) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2}) {
    TestPipe pipe;
    const pid_t guard = fork_guard([&] {
      block({number});
      pipe.put('r');
      return wait_for_signal({number}) == number ? 42 : 43;
    });
    EXPECT_EQ(pipe.take(), 'r');
    ::kill(guard, number);
    EXPECT_EQ(WEXITSTATUS(wait_for(guard)), 42) << number;
  }
}

TEST(Guard, a_body_without_handlers_dies_of_the_forwarded_signal) {
  TestPipe pipe;
  const pid_t guard = fork_guard([&] {
    pipe.put('r');
    return idle();
  });
  EXPECT_EQ(pipe.take(), 'r');
  ::kill(guard, SIGTERM);
  EXPECT_EQ(WEXITSTATUS(wait_for(guard)), 128 + SIGTERM);
}

TEST(Guard, a_hangup_stays_ignored_under_nohup) {
  TestPipe pipe;
  const pid_t guard = fork_and_run([&] {
    std::signal(SIGHUP, SIG_IGN);
    return run_guarded([&] {
      block({SIGTERM});
      pipe.put('r');
      return wait_for_signal({SIGTERM}) == SIGTERM && hangup_is_ignored() ? 42 : 43;
    });
  });
  EXPECT_EQ(pipe.take(), 'r');
  ::kill(guard, SIGHUP);
  ::kill(guard, SIGTERM);
  EXPECT_EQ(WEXITSTATUS(wait_for(guard)), 42);
}

TEST(Guard, stops_and_continues_with_the_body) {
  const pid_t guard = fork_guard([] {
    ::raise(SIGTSTP);
    return 5;
  });
  int status = 0;
  EXPECT_EQ(::waitpid(guard, &status, WUNTRACED), guard);
  ASSERT_TRUE(WIFSTOPPED(status));
  EXPECT_EQ(WSTOPSIG(status), SIGTSTP);
  ::kill(guard, SIGCONT);
  EXPECT_EQ(WEXITSTATUS(wait_for(guard)), 5);
}

TEST(Guard, goes_on_while_the_body_alone_is_paused) {
  TestPipe pipe;
  const pid_t guard = fork_guard([&] {
    const pid_t self = ::getpid();
    EXPECT_EQ(::write(pipe.write.get(), &self, sizeof self), ssize_t{sizeof self});
    return idle();
  });
  pid_t body = 0;
  ASSERT_EQ(::read(pipe.read.get(), &body, sizeof body), ssize_t{sizeof body});
  ::kill(body, SIGSTOP);
  ::kill(guard, SIGTERM);
  ::kill(body, SIGCONT);
  int status = 0;
  EXPECT_EQ(::waitpid(guard, &status, WUNTRACED), guard);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 128 + SIGTERM);
}

TEST(Guard, what_the_terminal_sends_arrives_once) {
  const FileDescriptor terminal(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  ASSERT_TRUE(terminal.valid());
  ASSERT_EQ(::grantpt(terminal.get()), 0);
  ASSERT_EQ(::unlockpt(terminal.get()), 0);
  const std::string terminal_end = ::ptsname(terminal.get());
  TestPipe pipe;
  const pid_t guard = fork_and_run([&] {
    ::setsid();
    const FileDescriptor own(
        ::open(terminal_end.c_str(), O_RDWR));  // becomes the controlling terminal
    return run_guarded([&] {
      block({SIGINT, SIGUSR1});
      pipe.put('r');
      if (wait_for_signal({SIGINT}) != SIGINT) return 1;
      pipe.put('i');
      // The guard takes the lower number first: had it forwarded the SIGINT, it would be here.
      if (wait_for_signal({SIGUSR1}) != SIGUSR1) return 2;
      sigset_t pending;
      ::sigpending(&pending);
      return ::sigismember(&pending, SIGINT) == 1 ? 3 : 42;
    });
  });
  EXPECT_EQ(pipe.take(), 'r');
  EXPECT_EQ(::write(terminal.get(), "\x03", 1), 1);
  EXPECT_EQ(pipe.take(), 'i');
  ::kill(guard, SIGUSR1);
  EXPECT_EQ(WEXITSTATUS(wait_for(guard)), 42);
}

}  // namespace
}  // namespace ringmaster::launcher
