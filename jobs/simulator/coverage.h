// SPDX-License-Identifier: Apache-2.0
//
// How often each kind of thing happened. A simulation proves nothing about what it never did, so
// the tests ask for every counter to be above zero.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "jobs/core/state.h"
#include "jobs/simulator/plan.h"

namespace ringmaster::jobs::simulator {

inline constexpr int kJobStates = 7;

struct Coverage {
  std::array<std::int64_t, std::variant_size_v<Event>> events{};
  std::array<std::int64_t, std::variant_size_v<Action>> actions{};
  std::array<std::int64_t, kRankStates> rank_states{};
  std::array<std::int64_t, kJobStates> job_states{};
  std::array<std::int64_t, kFaultKinds> faults{};
  std::array<std::int64_t, kPoints> points{};  // where faults struck

  void count(const Event& event, const Actions& actions_taken, const State& state);
  void count(const Fault& fault);
  void add(const Coverage& other);

  struct Line {
    std::string name;
    std::int64_t times;
  };
  /// Every counter, "event rank_ready" first.
  std::vector<Line> lines() const;
};

/// For people: a counter a line.
std::string table(const Coverage& coverage);

}  // namespace ringmaster::jobs::simulator
