// SPDX-License-Identifier: Apache-2.0
#include "jobs/simulator/coverage.h"

#include <fmt/format.h>

namespace ringmaster::jobs::simulator {
namespace {

template <class Counters>
void add_all(Counters& to, const Counters& from) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
}

/// Lines "KIND NAME" for an array of counters whose index is an enumeration.
template <class Enum, class Counters>
void append(std::vector<Coverage::Line>& lines, const char* kind, const Counters& counters,
            const char* (*name)(Enum)) {
  for (std::size_t i = 0; i < counters.size(); ++i) {
    lines.push_back({fmt::format("{} {}", kind, name(static_cast<Enum>(i))), counters[i]});
  }
}

/// The same for a variant: each alternative is made once to ask for its name.
template <class Variant, std::size_t... I, class Counters>
void append_variant(std::vector<Coverage::Line>& lines, const char* kind, const Counters& counters,
                    const char* (*name)(const Variant&), std::index_sequence<I...>) {
  (lines.push_back(
       {fmt::format("{} {}", kind, name(Variant(std::in_place_index<I>))), counters[I]}),
   ...);
}

}  // namespace

void Coverage::count(const Event& event, const Actions& actions_taken, const State& state) {
  ++events[event.index()];
  for (const Action& action : actions_taken) ++actions[action.index()];
  for (const auto& [id, job] : state.jobs) {
    ++job_states[static_cast<std::size_t>(job.state)];
    for (const RankRecord& rank : job.ranks) ++rank_states[static_cast<std::size_t>(rank.state)];
  }
}

void Coverage::count(const Fault& fault) {
  ++faults[static_cast<std::size_t>(fault.kind)];
  ++points[static_cast<std::size_t>(fault.point)];
}

void Coverage::add(const Coverage& other) {
  add_all(events, other.events);
  add_all(actions, other.actions);
  add_all(rank_states, other.rank_states);
  add_all(job_states, other.job_states);
  add_all(faults, other.faults);
  add_all(points, other.points);
}

std::vector<Coverage::Line> Coverage::lines() const {
  std::vector<Line> all;
  append_variant<Event>(all, "event", events, event_name,
                        std::make_index_sequence<std::variant_size_v<Event>>());
  append_variant<Action>(all, "action", actions, action_name,
                         std::make_index_sequence<std::variant_size_v<Action>>());
  append<RankState>(all, "rank state", rank_states, state_name);
  append<JobState>(all, "job state", job_states, state_name);
  append<FaultKind>(all, "fault", faults, fault_name);
  append<Point>(all, "fault while", points, point_name);
  return all;
}

std::string table(const Coverage& coverage) {
  std::string text;
  for (const auto& line : coverage.lines()) {
    text += fmt::format("{:<28}{:>12}\n", line.name, line.times);
  }
  return text;
}

}  // namespace ringmaster::jobs::simulator
