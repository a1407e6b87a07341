// SPDX-License-Identifier: Apache-2.0
#include "launcher/process/exit_status.h"

#include <sys/wait.h>

#include "base/check.h"

namespace ringmaster::launcher {

jobs::ExitStatus exit_status_of(int status) {
  CHECK(!WIFSTOPPED(status));
  if (WIFEXITED(status)) return {.code = WEXITSTATUS(status), .signal = 0};
  CHECK(WIFSIGNALED(status));
  return {.code = 0, .signal = WTERMSIG(status)};
}

}  // namespace ringmaster::launcher
