// SPDX-License-Identifier: Apache-2.0
#include "launcher/ending/casualties.h"

#include <fmt/format.h>

#include <csignal>

namespace ringmaster::launcher {

namespace {

/// Who fails in a cascade fails by the hundred: the first few show how.
constexpr std::size_t kFailedTooMax = 8;

bool was(const std::set<int>& ranks) {
  return ranks.size() == 1;
}

std::string how(const Casualty& casualty) {
  const std::string ended = jobs::describe(casualty.status);
  return casualty.why.empty() ? ended : fmt::format("{}: {}", ended, casualty.why);
}

}  // namespace

std::string ranks_text(const std::set<int>& ranks) {
  std::vector<std::string> ranges;
  for (auto rank = ranks.begin(); rank != ranks.end();) {
    const int first = *rank;
    int last = first;
    while (++rank != ranks.end() && *rank == last + 1) last = *rank;
    ranges.push_back(first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last));
  }
  std::string text = was(ranks) ? "rank " : "ranks ";
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const bool is_last = i + 1 == ranges.size();
    text += i == 0 ? "" : is_last ? " and " : ", ";
    text += ranges[i];
  }
  return text;
}

void Casualties::look_for_cause(const jobs::Event& event, const jobs::Job& job) {
  const bool failed = job.failure || job.outcome;
  if (!failed) *this = {};  // all is well; or its ranks start again, and what was is over
  if (settled_ || !failed) return;
  settled_ = true;
  const bool by_a_rank = job.failure || job.outcome->state == jobs::JobState::failed;
  const auto* exited = std::get_if<jobs::RankExited>(&event);
  if (!by_a_rank || exited == nullptr) return;
  const auto& rank = job.ranks.at(static_cast<std::size_t>(exited->id.rank.value));
  cause_ = {exited->id, exited->status, exited->why, rank.starts - 1};
}

void Casualties::hear(const jobs::Event& event, const jobs::Job& job) {
  const bool was_settled = settled_;
  look_for_cause(event, job);
  stopping_ = job.outcome.has_value();
  const auto* exited = std::get_if<jobs::RankExited>(&event);
  if (!stopping_ || !was_settled || exited == nullptr || exited->status.success()) return;
  const auto fate = fates_.find(exited->id.rank);
  if (fate != fates_.end() && fate->second.incarnation == exited->id.incarnation) return;
  failed_too_.push_back({exited->id, exited->status, exited->why});
}

void Casualties::tell(const jobs::SignalRank& action, Found found) {
  if (!stopping_ || found == Found::ended) return;
  const auto [at, is_new] = fates_.try_emplace(action.id.rank);
  Fate& fate = at->second;
  const bool again = !is_new && fate.incarnation == action.id.incarnation;
  fate = {action.id.incarnation, found == Found::alive, again && action.signal == SIGKILL};
}

std::vector<std::string> Casualties::lines(Duration grace) const {
  std::set<int> stopped, killed;
  for (const auto& [rank, fate] : fates_) {
    if (fate.stopped) stopped.insert(static_cast<int>(rank.value));
    if (fate.killed) killed.insert(static_cast<int>(rank.value));
  }
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < failed_too_.size() && i < kFailedTooMax; ++i) {
    lines.push_back(fmt::format("rank {} failed by itself as well: {}",
                                failed_too_[i].id.rank.value, how(failed_too_[i])));
  }
  if (failed_too_.size() > kFailedTooMax) {
    lines.push_back(fmt::format("and so did {} others", failed_too_.size() - kFailedTooMax));
  }
  if (cause_ && !stopped.empty()) {
    lines.push_back(fmt::format("{} {} stopped because of it", ranks_text(stopped),
                                was(stopped) ? "was" : "were"));
  }
  if (!killed.empty()) {
    lines.push_back(fmt::format("{} did not end within the grace of {} s and {} killed",
                                ranks_text(killed), to_seconds(grace),
                                was(killed) ? "was" : "were"));
  }
  return lines;
}

}  // namespace ringmaster::launcher
