// SPDX-License-Identifier: Apache-2.0
//
// How a process ended, as a value that is compared, shown and turned into an exit code.
//
// It is made from the wait status with the W macros (or from waitid's siginfo), never by arithmetic
// on the raw number: the core-dump bit lives in there and would leak into "128 + n".
//
// Pure. Not here: waiting (the caller's loop has the pidfds).
#pragma once

#include <csignal>
#include <string>

namespace ringmaster::launcher {

struct ExitStatus {
  bool by_signal = false;
  int number = 0;            // the signal's when by_signal, else the exit code
  bool core_dumped = false;  // the kernel said that it wrote a core; never guessed from the signal

  static ExitStatus from_wait_status(int status);
  /// Of a waitid with WEXITED that returned a child (si_pid is not 0).
  static ExitStatus from_siginfo(const siginfo_t& info);

  bool success() const { return !by_signal && number == 0; }
  /// What a shell would say: the code, or 128 + the signal's number.
  int exit_code() const { return by_signal ? 128 + number : number; }
  /// "exited with code 3", "killed by signal 9 (SIGKILL)".
  std::string describe() const;

  friend bool operator==(const ExitStatus&, const ExitStatus&) = default;
};

/// "SIGTERM"; "SIGRTMIN+3" for the real-time ones; "signal 99" for what is none.
std::string signal_name(int signal_number);

}  // namespace ringmaster::launcher
