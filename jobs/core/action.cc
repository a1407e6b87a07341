// SPDX-License-Identifier: Apache-2.0
#include "jobs/core/action.h"

#include <array>

#include "base/check.h"

namespace ringmaster::jobs {

const char* state_name(JobState state) {
  switch (state) {
    case JobState::waiting:
      return "waiting";
    case JobState::starting:
      return "starting";
    case JobState::running:
      return "running";
    case JobState::stopping:
      return "stopping";
    case JobState::done:
      return "done";
    case JobState::failed:
      return "failed";
    case JobState::cancelled:
      return "cancelled";
  }
  CHECK(false);
}

const char* action_name(const Action& action) {
  static constexpr std::array<const char*, std::variant_size_v<Action>> kNames = {
      "create_host",      "release_host",      "start_rank",  "signal_rank",
      "abort_generation", "form_generation",   "end_job",     "report",
      "open_term",        "commit_checkpoint", "ask_for_save"};
  return kNames[action.index()];
}

}  // namespace ringmaster::jobs
