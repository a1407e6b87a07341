// SPDX-License-Identifier: Apache-2.0
//
// How long a storm lasts, and which one: from the environment, so that a failure is repeated and a
// night can be spent on it.
//
//     RINGMASTER_STORM_SEED=N        only the story of this seed
//     RINGMASTER_STORM_STORIES=N     so many, instead of what an ordinary test run has time for
#pragma once

#include <cstdint>
#include <optional>

namespace ringmaster::storm {

std::optional<std::uint64_t> read_storm_seed();
/// `ordinary` is for a run without sanitizers, `slow` for one with them.
std::uint64_t read_storm_stories(std::uint64_t ordinary, std::uint64_t slow);

}  // namespace ringmaster::storm
