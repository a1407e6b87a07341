// SPDX-License-Identifier: Apache-2.0
//
// Everything that the core knows, as text: two states are equal when their dumps are. For tests of
// replay, and for a person who looks into a coordinator.
#pragma once

#include <string>

#include "jobs/core/state.h"

namespace ringmaster::jobs {

std::string dump(const State& state);

}  // namespace ringmaster::jobs
