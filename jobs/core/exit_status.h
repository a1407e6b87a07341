// SPDX-License-Identifier: Apache-2.0
//
// How a rank's process ended. The code and the signal stay two facts; only what is reported
// outwards joins them (128 + signal, the convention of shells and of every launcher).
#pragma once

#include <string>

namespace ringmaster::jobs {

struct ExitStatus {
  int code = 0;    // when it exited by itself
  int signal = 0;  // when a signal killed it, else 0

  bool success() const { return code == 0 && signal == 0; }
  int outward() const { return signal != 0 ? 128 + signal : code; }
  friend bool operator==(const ExitStatus&, const ExitStatus&) = default;
};

/// "SIGTERM"; "SIGRTMIN+3" for the real-time ones; "signal 99" for what is none.
std::string signal_name(int signal);

/// "exited with code 3", "killed by signal 9 (SIGKILL)".
std::string describe(const ExitStatus& status);

}  // namespace ringmaster::jobs
