// SPDX-License-Identifier: Apache-2.0
#include "launcher/narrator.h"

#include <fmt/format.h>

namespace ringmaster::launcher {

std::vector<std::string> Narrator::tell(const jobs::Action& action, Time now) {
  if (std::holds_alternative<jobs::StartRank>(action) && !started_) {
    started_ = true;
    start_ = now;
  }
  if (const auto* report = std::get_if<jobs::Report>(&action)) return {report->text};
  if (!elastic_) return {};
  if (const auto* formed = std::get_if<jobs::FormGeneration>(&action)) {
    losses_ += static_cast<int>(formed->table.lost.size());
    if (formed->table.generation.value > 1) {
      joins_ += static_cast<int>(formed->table.joined.size());
    }
  }
  return {};
}

std::vector<std::string> Narrator::last_words(const jobs::EndJob& end, Time now) const {
  if (end.state == jobs::JobState::cancelled) return {fmt::format("ended: {}", end.reason)};
  if (!elastic_) return {};
  return {fmt::format("done in {:.1f} s: {} ranks lost, {} joined", to_seconds(now - start_),
                      losses_, joins_)};
}

}  // namespace ringmaster::launcher
