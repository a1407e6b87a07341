// SPDX-License-Identifier: Apache-2.0
//
// Reduces the same stretch of several ranks' arrays, in the order of positions.
//
// The order is part of the contract: ((a0 + a1) + a2) + a3 for every element, so that all ranks
// get the same bits and a different cut of the array changes nothing. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "collectives/communicator.h"

namespace ringmaster::collectives {

/// output[i] = inputs[0][i] op inputs[1][i] op ..., for `count` elements. `output` overlaps none of
/// the inputs unless it is one of them. The average multiplies the sum by 1/average_of, once, at
/// the end; 0 stands for the number of inputs.
void reduce(const std::vector<const void*>& inputs, void* output, std::size_t count, Type type,
            Reduction reduction, int average_of = 0);

/// What is wrong with this pair, or "": an average of whole numbers has no exact meaning.
const char* reduction_problem(Type type, Reduction reduction);

/// Of an all_to_all.
inline constexpr const char* kTakesOther =
    "all_to_all: a position takes another count than it is given";

}  // namespace ringmaster::collectives
