// SPDX-License-Identifier: Apache-2.0
#include "jobs/core/exit_status.h"

#include <fmt/format.h>

#include <csignal>
#include <cstring>

namespace ringmaster::jobs {

std::string signal_name(int signal) {
  if (const char* name = sigabbrev_np(signal); name != nullptr) return fmt::format("SIG{}", name);
  if (signal >= SIGRTMIN && signal <= SIGRTMAX) {
    return fmt::format("SIGRTMIN+{}", signal - SIGRTMIN);
  }
  return fmt::format("signal {}", signal);
}

std::string describe(const ExitStatus& status) {
  if (status.signal == 0) return fmt::format("exited with code {}", status.code);
  return fmt::format("killed by signal {} ({})", status.signal, signal_name(status.signal));
}

}  // namespace ringmaster::jobs
