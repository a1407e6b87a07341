// SPDX-License-Identifier: Apache-2.0
#include "launcher/rank_environment.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "launcher/contracts/foreign.h"
#include "launcher/process/guard.h"
#include "launcher/process/sweep.h"

namespace ringmaster::launcher {

namespace {

// Of our own session, set anew for each rank; those of other launches are in contracts/foreign.h.
constexpr std::array<std::string_view, 7> kOwnNames = {
    "RINGMASTER_JOB",        "RINGMASTER_RANK",     "RINGMASTER_TERMINAL",   "RINGMASTER_SOCKET_FD",
    "RINGMASTER_SEGMENT_FD", "RINGMASTER_ABORT_FD", "RINGMASTER_LISTENER_FD"};

}  // namespace

std::vector<std::string> make_rank_environment(const std::vector<std::string>& inherited,
                                               const std::string& tag) {
  std::vector<std::string> environment;
  bool buffering_chosen = false;
  for (const std::string& variable : inherited) {
    const std::string_view name = variable_name(variable);
    if (std::find(kOwnNames.begin(), kOwnNames.end(), name) != kOwnNames.end()) continue;
    if (is_foreign(name)) continue;
    buffering_chosen = buffering_chosen || name == "PYTHONUNBUFFERED";
    environment.push_back(variable);
  }
  // A pipe makes Python hold its output back until it ends, or for ever when it is killed.
  if (!buffering_chosen) environment.push_back("PYTHONUNBUFFERED=1");
  environment.push_back(std::string(kJobTagName) + "=" + tag);
  return environment;
}

std::vector<std::string> rank_environment() {
  std::vector<std::string> inherited;
  for (char** variable = environ; *variable != nullptr; ++variable) inherited.push_back(*variable);
  return make_rank_environment(inherited, job_tag(guard_pid(), getpid()));
}

}  // namespace ringmaster::launcher
