// SPDX-License-Identifier: Apache-2.0
//
// Reduces the same stretch of several arrays into several places at once, in the widest vectors
// that this processor has.
//
// The order of positions is part of the contract: ((a0 + a1) + a2) + a3 for every element, in the
// element's type (16-bit floats in 32 bits, rounded once at the end, to even). So all ranks get the
// same bits, however an array is cut, and whichever instructions their processors have.
//
// One pass over the inputs writes all outputs: between ranks that see each other's memory that is
// all the traffic that an all-reduce needs.
#pragma once

#include <cstddef>

#include "collectives/ringmaster_collectives.h"

namespace ringmaster::collectives {

/// Instruction sets with kernels of their own. `baseline` is what the compiler may assume anyway.
enum class Isa { baseline, avx2, avx512 };
inline constexpr int kIsas = 3;

/// The best one that this processor has.
Isa best_isa();
bool has_isa(Isa isa);
const char* isa_name(Isa isa);

/// outputs[k][i] = inputs[0][i] op inputs[1][i] op ..., for `count` elements and all k. An output
/// may be one of the inputs (in place) and overlaps them in no other way. The average multiplies
/// the sum by 1/average_of, once, at the end.
struct Stretches {
  const void* const* inputs;
  int input_count;
  void* const* outputs;
  int output_count;
  std::size_t count;
  int average_of;  // ranks: more than input_count when some of the inputs are sums already
};

void reduce_stretches(const Stretches& stretches, ringmaster_type type,
                      ringmaster_reduction reduction, Isa isa = best_isa());

}  // namespace ringmaster::collectives
