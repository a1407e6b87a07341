// SPDX-License-Identifier: Apache-2.0
//
// The agent's dealings with what programs of other launchers expect.
#include <csignal>

#include "launcher/agent_running.h"

namespace ringmaster::launcher {

void Agent::end_failed(int rank) {
  for (Running& running : running_) {
    if (static_cast<int>(running.id.rank.value) == rank) running.process->signal(SIGKILL);
  }
}

void Agent::set_local_rank(int rank, int local_rank, int local_size) {
  contracts_->set_local_rank(rank, local_rank, local_size);
}

}  // namespace ringmaster::launcher
