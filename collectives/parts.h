// SPDX-License-Identifier: Apache-2.0
//
// Whether the ranks of an all-to-all give what the others take, so that a wrong count is an error
// on all of them and not only where it is found.
//
// Each rank knows a row of what is given and a column of what is taken. To compare them all takes
// as many numbers as there are pairs. So every rank adds up a number for each part that it
// gives and takes off one for each that it takes: over all ranks the sum is zero when both
// sides name the same parts, and else is so only once in 2^64. One number a rank crosses
// the network; only when the sum is another one do the ranks look for the part.
#pragma once

#include <functional>

#include "collectives/communicator.h"

namespace ringmaster::collectives {

/// What the rank at the position adds to the sum, which wraps around. Pure.
std::uint64_t parts_sum(const Counts& give, const Counts& take, int position);

/// When the sum over all ranks is not zero, called by all: the first part, by giver and taker, of
/// which the two say different things. The same Errc::mismatch on all ranks, or what else ends the
/// two operations that it takes. `number` makes a rank's number of a position.
Error parts_difference(Communicator& ring, const Counts& give, const Counts& take,
                       const std::function<int(int)>& number);

}  // namespace ringmaster::collectives
