// SPDX-License-Identifier: Apache-2.0
//
// The last step of an average whose sum was made on the way: reduce.h multiplies only the sums that
// it made itself.
//
// Pure.
#pragma once

#include "collectives/communicator.h"

namespace ringmaster::collectives {

/// Multiplies each of `count` floats by 1/ranks, as reduce() does.
void divide(void* sums, std::size_t count, Type type, int ranks);

}  // namespace ringmaster::collectives
