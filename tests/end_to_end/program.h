// SPDX-License-Identifier: Apache-2.0
//
// Runs real programs for tests: their output, exit code, and whether anything of them is left.
//
// Each program gets a mark in its environment that its descendants inherit, so that "nothing is
// left" is a look at /proc and not a guess.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "base/file_descriptor.h"
#include "base/temporary_folder.h"

namespace ringmaster::tests {

struct Ended {
  int exit_code = -1;  // 128 + n for a signal
  std::string output;
  std::string error;
  bool timed_out = false;  // it was killed by the test
};

class Program {
 public:
  /// Starts it in a process group of its own, as a shell does; the built programs come first on
  /// PATH. `variables` ("NAME=VALUE") go into its environment.
  explicit Program(const std::vector<std::string>& command,
                   const std::vector<std::string>& variables = {});
  Program(const Program&) = delete;
  /// Kills everything that carries the mark.
  ~Program();

  pid_t pid() const { return pid_; }
  /// Waits for its end, and gives what it wrote.
  Ended wait(std::chrono::seconds limit = std::chrono::seconds(120));
  void signal(int number) const;
  /// To its process group, as a terminal does.
  void signal_group(int number) const;
  /// The destructor leaves alone what the program, which has ended, had started.
  void forget() { mark_.clear(); }
  /// What it wrote up to now.
  std::string output() const;
  std::string error() const;
  /// Waits until it wrote `text` so many times. False when it has not after half a minute.
  bool wait_for_output(const std::string& text, int times = 1) const;
  /// The same for standard error.
  bool wait_for_error(const std::string& text) const;
  /// Waits until the process is in one of these states (the letters of ps), as above.
  bool wait_for_state(pid_t pid, const std::string& states,
                      std::chrono::seconds limit = std::chrono::seconds(30)) const;
  /// Its own living child, 0 when there is none: under ringrun the launcher below the guard.
  pid_t child() const;
  /// Living processes that carry the mark, the program itself included.
  std::vector<pid_t> marked() const;
  /// The living process of the job's rank, 0 when there is none.
  pid_t pid_of_rank(int rank) const;
  /// True when no marked process is left within some seconds (a killed one needs a moment to go).
  bool leaves_nothing() const;

 private:
  std::string mark_;
  pid_t pid_ = -1;
  bool reaped_ = false;
  FileDescriptor output_;  // unlinked files: a pipe nobody reads would hold the program back
  FileDescriptor error_;
};

/// Starts, waits, and fails the test when something is left.
Ended run_program(const std::vector<std::string>& command,
                  const std::vector<std::string>& variables = {});

/// The same for a line of sh.
Ended run_shell(const std::string& script, const std::vector<std::string>& variables = {});

/// The path of a built program.
std::string built(const std::string& name);

/// NAME=VALUE of the process, each with a NUL before and behind it.
std::string environment_of(pid_t pid);

}  // namespace ringmaster::tests
