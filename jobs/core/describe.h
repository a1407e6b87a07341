// SPDX-License-Identifier: Apache-2.0
//
// Events and actions in words, for traces and stories: "rank 3 is ready with 7 steps",
// "start rank 3 on b: replaces a lost rank". Pure.
#pragma once

#include <string>

#include "jobs/core/state.h"

namespace ringmaster::jobs {

/// `state` gives hosts their names.
std::string describe(const Event& event, const State& state);
std::string describe(const Action& action, const State& state);

}  // namespace ringmaster::jobs
