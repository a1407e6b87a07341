// SPDX-License-Identifier: Apache-2.0
//
// The agent of one host of several, as a process of its own: hears a coordinator, has an Agent for
// each job, and reports what happens. It outlives its coordinator, and ends by itself when none has
// been heard of for too long; its ranks end with it.
//
// Thread rules: one thread, from run to its end; below the guard (launcher/process/guard.h).
#pragma once

#include <string>

#include "base/time.h"
#include "launcher/host/state_home.h"

namespace ringmaster::launcher {

struct HostAgentSettings {
  std::string endpoint;  // of the coordinator
  Credentials credentials;
  std::int64_t host = 0;  // 0: the coordinator gives an id
  std::string name;
  int slots = 1;
  std::string address = "127.0.0.1";  // where ranks of other hosts reach ours
  std::string waiting_folder;         // for output until the coordinator has it; "": the system's
  Duration abandon_after = std::chrono::minutes(15);
};

/// Runs until it is dismissed, told to end by a signal, or abandoned: the exit code.
int run_host_agent(const HostAgentSettings& settings);

}  // namespace ringmaster::launcher
