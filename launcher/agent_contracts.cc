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

std::pair<pid_t, std::string> Agent::traces_of(const jobs::RankId& id) const {
  pid_t pid = 0;
  for (const Running& running : running_) {
    if (running.id == id) pid = running.process->pid();
  }
  return {pid, contracts_->error_file_of(static_cast<int>(id.rank.value))};
}

void Agent::set_local_rank(int rank, int local_rank, int local_size) {
  contracts_->set_local_rank(rank, local_rank, local_size);
}

}  // namespace ringmaster::launcher
