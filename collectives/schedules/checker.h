// SPDX-License-Identifier: Apache-2.0
//
// Says whether a plan does what it is for. It carries the plan out on values that know where they
// come from: a set of positions, and the tree of reductions that made them, as a hash.
//
//   - no deadlock, though no send is buffered: it ends when it is received. Links are first in,
//   first
//     out, and steps wait for those that they depend on (dependencies.h). What is to be reduced is
//     received as soon as it comes, one step on each link, and reduced when that may be, as the
//     executor does it with chunks: pairs that exchange what both then change need that
//   - what is sent and what is received are the same blocks, and hold something
//   - no contribution is counted twice, and in the end none is missing, wherever one is due
//   - all positions have got the same reduction, operand for operand: the same bits
//   - `complete` stands at the reductions after which nothing is missing, and only there
//   - with tokens: nobody ends before everybody has begun
//
// For at most 64 ranks. Pure.
#pragma once

#include "base/result.h"
#include "collectives/schedules/plan.h"

namespace ringmaster::collectives::schedules {

inline constexpr int kCheckedRanksMax = 64;

/// Errc::invalid names what is wrong, with position and step.
Result<void> check(const Plan& plan);
/// The same for given steps of all positions, as a test damages them.
Result<void> check_steps(const Plan& plan, const std::vector<Steps>& steps);

}  // namespace ringmaster::collectives::schedules
