// SPDX-License-Identifier: Apache-2.0
#include "jobs/simulator/root_cause.h"

#include <fmt/format.h>

#include <csignal>

namespace ringmaster::jobs::simulator {

void RootCause::failed(int code, bool by_itself) {
  if (first_ || by_itself) allowed_.insert(code);
  first_ = false;
}

void RootCause::before(const Event& event, const Job* job) {
  stopping_ = job != nullptr && job->outcome;
  if (job == nullptr || stopping_) return;  // from now on ranks die because of us
  const auto is_current = [&](const RankId& id) {
    const auto number = static_cast<std::size_t>(id.rank.value);
    return number < job->ranks.size() && job->ranks[number].id == id;
  };
  if (const auto* stop = std::get_if<StopRequested>(&event)) {
    stop_code_ = stop->exit_code;
  } else if (const auto* exited = std::get_if<RankExited>(&event)) {
    const ExitStatus& status = exited->status;
    if (!status.success() && is_current(exited->id)) failed(status.outward(), status.code != 0);
  } else if (const auto* start = std::get_if<RankStartFailed>(&event)) {
    if (is_current(start->id)) failed(start->exit_code, true);
  } else if (std::holds_alternative<HostLost>(event) || std::holds_alternative<TermFailed>(event) ||
             std::holds_alternative<HostCreateFailed>(event)) {
    allowed_.insert(1);  // a lost host has no code of its own, nor one that was not made
  } else if (const auto* synced = std::get_if<RankSynced>(&event)) {
    if (!is_current(synced->id) || job->broken || synced->generation <= healed_) return;
    healed_ = synced->generation;
    allowed_.clear();
    first_ = true;
  }
}

void RootCause::after(const Actions& actions) {
  if (stopping_) return;
  for (const Action& action : actions) {
    const auto* signal = std::get_if<SignalRank>(&action);
    if (signal != nullptr && signal->signal == SIGKILL) failed(128 + SIGKILL, false);
  }
}

std::string RootCause::judge(const EndJob& end) const {
  switch (end.state) {
    case JobState::done:
      return end.exit_code == 0 ? "" : fmt::format("a job that is done has code {}", end.exit_code);
    case JobState::cancelled:
      if (stop_code_ == end.exit_code) return "";
      return fmt::format("a cancelled job has code {}, not the request's", end.exit_code);
    case JobState::failed: {
      if (end.exit_code != 0 && allowed_.contains(end.exit_code)) return "";
      std::string codes;
      for (const int code : allowed_) codes += fmt::format(" {}", code);
      return fmt::format("a failed job has code {}, root causes have:{}", end.exit_code, codes);
    }
    case JobState::waiting:
    case JobState::starting:
    case JobState::running:
    case JobState::stopping:
      break;
  }
  return fmt::format("a job ended in state {}", state_name(end.state));
}

}  // namespace ringmaster::jobs::simulator
