// SPDX-License-Identifier: Apache-2.0
//
// What the tests of this folder share: processes that hide well, and a pipe that proves that they
// are gone. Every process below a test holds the pipe's write end; EOF on the other end means that
// none of them is left, with no pid to look up and no time to guess.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <utility>

#include "base/file_descriptor.h"

namespace ringmaster::launcher {

struct TestPipe {
  FileDescriptor read;
  FileDescriptor write;

  TestPipe() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    read.reset(ends[0]);
    write.reset(ends[1]);
  }
  /// Waits for the next byte; '\0' is EOF.
  char take() const {
    char byte = '\0';
    return ::read(read.get(), &byte, 1) == 1 ? byte : '\0';
  }
  void put(char byte) const { EXPECT_EQ(::write(write.get(), &byte, 1), 1); }
  /// Everything up to EOF. Close our write end first.
  std::string take_all() const {
    std::string all;
    char buffer[4096];
    ssize_t size = 0;
    while ((size = ::read(read.get(), buffer, sizeof buffer)) > 0)
      all.append(buffer, static_cast<std::size_t>(size));
    return all;
  }
};

/// Lives until it is killed. Should a test fail, nothing of it stays for long.
inline int idle() {
  ::alarm(120);
  for (;;) ::pause();
}

template <class Body>
pid_t fork_and_run(Body body) {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(body());
  EXPECT_LT(0, pid);
  return pid;
}

inline int wait_for(pid_t pid) {
  int status = 0;
  EXPECT_EQ(::waitpid(pid, &status, 0), pid);
  return status;
}

/// Double-forks a process that left its session and ignores what can be ignored; says 'h' once it
/// hides. It inherits the pipe's write end and lives until it is killed.
inline void start_hidden_process(const TestPipe& pipe) {
  const pid_t middle = fork_and_run([&] {
    fork_and_run([&] {
      ::setsid();
      for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGQUIT}) std::signal(number, SIG_IGN);
      pipe.put('h');
      return idle();
    });
    return 0;
  });
  wait_for(middle);
}

}  // namespace ringmaster::launcher
