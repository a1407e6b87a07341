// SPDX-License-Identifier: Apache-2.0
#include "jobs/core/exit_status.h"

#include <fmt/format.h>

#include <cstring>

namespace ringmaster::jobs {

std::string describe(const ExitStatus& status) {
  if (status.signal == 0) return fmt::format("exited with code {}", status.code);
  const char* name = sigabbrev_np(status.signal);
  return fmt::format("killed by signal {} (SIG{})", status.signal, name != nullptr ? name : "?");
}

}  // namespace ringmaster::jobs
