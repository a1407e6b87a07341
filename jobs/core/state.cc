// SPDX-License-Identifier: Apache-2.0
#include "jobs/core/state.h"
#include "base/check.h"

#include <array>
#include <utility>

namespace ringmaster::jobs {

const char* state_name(RankState state) {
  switch (state) {
    case RankState::absent:
      return "absent";
    case RankState::starting:
      return "starting";
    case RankState::started:
      return "started";
    case RankState::ready:
      return "ready";
    case RankState::member:
      return "member";
    case RankState::leaving:
      return "leaving";
    case RankState::stopping:
      return "stopping";
    case RankState::ended:
      return "ended";
  }
  CHECK(false);
}

const char* state_name(HostState state) {
  switch (state) {
    case HostState::creating:
      return "creating";
    case HostState::up:
      return "up";
    case HostState::draining:
      return "draining";
    case HostState::releasing:
      return "releasing";
  }
  CHECK(false);
}

namespace {

// Row: from, column: to, in the order of RankState. A rank whose host is lost goes straight from
// any state with a process to absent or ended: nothing of it is left to wait for. From ended to
// absent only when all ranks start again.
constexpr std::array<std::array<bool, kRankStates>, kRankStates> kMoves = {{
    // absent starting started ready  member leaving stopping ended
    {false, true, false, false, false, false, false, true},   // absent
    {true, false, true, false, false, false, true, true},     // starting
    {true, false, false, true, false, false, true, true},     // started
    {true, false, false, false, true, false, true, true},     // ready
    {true, false, false, true, false, true, true, true},      // member
    {true, false, false, true, false, false, true, true},     // leaving
    {true, false, false, false, false, false, false, true},   // stopping
    {true, false, false, false, false, false, false, false},  // ended
}};

}  // namespace

void RankRecord::enter(RankState next, Time now) {
  const bool legal = kMoves[static_cast<std::size_t>(state)][static_cast<std::size_t>(next)];
  if (!legal) check_failed(__FILE__, __LINE__, "rank state", state_name(state), state_name(next));
  state = next;
  since = now;
}

int Job::count(RankState wanted) const {
  int found = 0;
  for (const RankRecord& rank : ranks) found += rank.state == wanted ? 1 : 0;
  return found;
}

RankRecord* State::find(const RankId& id) {
  const auto job = jobs.find(id.job);
  if (job != jobs.end() && !job->second.ended()) {
    auto& ranks = job->second.ranks;
    const auto number = static_cast<std::size_t>(id.rank.value);
    if (id.rank.value >= 0 && number < ranks.size() && ranks[number].id == id &&
        ranks[number].has_process()) {
      return &ranks[number];
    }
  }
  ++dropped_events;
  return nullptr;
}

}  // namespace ringmaster::jobs
