// SPDX-License-Identifier: Apache-2.0
#include "launcher/process/exit_status.h"

#include <fmt/format.h>
#include <string.h>
#include <sys/wait.h>

#include "base/check.h"

namespace ringmaster::launcher {

ExitStatus ExitStatus::from_wait_status(int status) {
  CHECK(!WIFSTOPPED(status));
  CHECK(!WIFCONTINUED(status));
  if (WIFEXITED(status)) return {.by_signal = false, .number = WEXITSTATUS(status)};
  CHECK(WIFSIGNALED(status));
  return {.by_signal = true, .number = WTERMSIG(status), .core_dumped = WCOREDUMP(status)};
}

ExitStatus ExitStatus::from_siginfo(const siginfo_t& info) {
  CHECK_NE(info.si_pid, 0);
  if (info.si_code == CLD_EXITED) return {.by_signal = false, .number = info.si_status};
  CHECK(info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED);
  return {.by_signal = true, .number = info.si_status, .core_dumped = info.si_code == CLD_DUMPED};
}

std::string ExitStatus::describe() const {
  if (!by_signal) return fmt::format("exited with code {}", number);
  const char* core = core_dumped ? " (core dumped)" : "";
  return fmt::format("killed by signal {} ({}){}", number, signal_name(number), core);
}

std::string signal_name(int signal_number) {
  if (const char* name = ::sigabbrev_np(signal_number)) return fmt::format("SIG{}", name);
  if (signal_number >= SIGRTMIN && signal_number <= SIGRTMAX)
    return fmt::format("SIGRTMIN+{}", signal_number - SIGRTMIN);
  return fmt::format("signal {}", signal_number);
}

}  // namespace ringmaster::launcher
