// SPDX-License-Identifier: Apache-2.0
//
// The kernels themselves. Each instruction set compiles this file once, with its own flags, into a
// namespace of its own (RINGMASTER_ISA): the compiler's vector types become whatever registers the
// flags allow.
//
// No header with inline functions is included, the standard library's above all: the linker would
// keep one copy of such a function, and it might be the one with instructions that this processor
// does not have.
#pragma once

#include "collectives/kernels/kernel.h"
#include "collectives/kernels/loop.h"
#include "collectives/kernels/short_floats.h"

namespace ringmaster::collectives::RINGMASTER_ISA {
namespace {

/// Few inputs, the case of one host, have kernels of their own where training spends its time: a
/// sum of floats.
template <class Lanes, ringmaster_reduction kReduction>
void reduce_inputs(const Stretches& stretches, typename Lanes::Factor factor) {
  if constexpr (kReduction == RINGMASTER_SUM && !Lanes::kWhole) {
    switch (stretches.input_count) {
      case 2:
        return Kernel<Lanes, kReduction, 2>{stretches, factor}.run();
      case 4:
        return Kernel<Lanes, kReduction, 4>{stretches, factor}.run();
      case 8:
        return Kernel<Lanes, kReduction, 8>{stretches, factor}.run();
      default:
        break;
    }
  }
  Kernel<Lanes, kReduction, 0>{stretches, factor}.run();
}

template <class Lanes>
void reduce_lanes(const Stretches& stretches, ringmaster_reduction reduction) {
  using Factor = typename Lanes::Factor;
  switch (reduction) {
    case RINGMASTER_SUM:
      return reduce_inputs<Lanes, RINGMASTER_SUM>(stretches, Factor{1});
    case RINGMASTER_AVERAGE:
      return reduce_inputs<Lanes, RINGMASTER_SUM>(
          stretches, static_cast<Factor>(Factor{1} / static_cast<Factor>(stretches.average_of)));
    case RINGMASTER_MIN:
      return reduce_inputs<Lanes, RINGMASTER_MIN>(stretches, Factor{1});
    case RINGMASTER_MAX:
      return reduce_inputs<Lanes, RINGMASTER_MAX>(stretches, Factor{1});
    case RINGMASTER_PRODUCT:
      return reduce_inputs<Lanes, RINGMASTER_PRODUCT>(stretches, Factor{1});
  }
}

}  // namespace

void reduce_stretches(const Stretches& stretches, ringmaster_type type,
                      ringmaster_reduction reduction) {
  switch (type) {
    case RINGMASTER_FLOAT32:
      return reduce_lanes<Float32>(stretches, reduction);
    case RINGMASTER_FLOAT64:
      return reduce_lanes<Float64>(stretches, reduction);
    case RINGMASTER_INT32:
      return reduce_lanes<Int32>(stretches, reduction);
    case RINGMASTER_INT64:
      return reduce_lanes<Int64>(stretches, reduction);
    case RINGMASTER_UINT8:
      return reduce_lanes<Uint8>(stretches, reduction);
    case RINGMASTER_FLOAT16:
      return reduce_lanes<Float16>(stretches, reduction);
    case RINGMASTER_BFLOAT16:
      return reduce_lanes<Bfloat16>(stretches, reduction);
  }
}

}  // namespace ringmaster::collectives::RINGMASTER_ISA
