// SPDX-License-Identifier: Apache-2.0
//
// What the agent holds of each process that it has started. For the agent's own files.
#pragma once

#include "launcher/agent.h"

namespace ringmaster::launcher {

struct Agent::Running {
  jobs::RankId id;
  std::vector<std::unique_ptr<Sink>> files;  // of its own; the process's readers write to them
  std::unique_ptr<RankProcess> process;
  FileDescriptor abort_fd;       // an eventfd that the rank has, too: written at an abort
  jobs::Generation handed = {};  // the newest generation whose table it got
  bool waits = false;            // for the next one
  std::int64_t steps = jobs::kNoState;
};

}  // namespace ringmaster::launcher
