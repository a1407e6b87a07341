// SPDX-License-Identifier: Apache-2.0
//
// What every rank of a job finds in its environment, whatever its number: the launcher's own
// variables without those that would tell of another job, and the job's tag.
#pragma once

#include <string>
#include <vector>

namespace ringmaster::launcher {

/// Call it in the launcher, below the guard: the tag names both.
std::vector<std::string> rank_environment();

/// Pure: `inherited` without what belongs to another launch, plus what is ours.
std::vector<std::string> make_rank_environment(const std::vector<std::string>& inherited,
                                               const std::string& tag);

}  // namespace ringmaster::launcher
