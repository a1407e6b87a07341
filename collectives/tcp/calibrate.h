// SPDX-License-Identifier: Apache-2.0
//
// Measures the constants of the model by which algorithms are chosen (schedules/choose.h), on the
// hosts of a communicator.
//
//   round_us   a barrier, over its rounds: what a hop costs while everybody is busy with one
//   byte_ns    an all-gather, without its rounds, over the bytes that pass each NIC
//   reduce_ns  a reduction of two float32 arrays that lie in the cache, as chunks of a ring do
//
// For whoever sets constants, before a job: not for the beginning of each generation. Short
// measurements differ by more than choices stand (docs/collectives.md has the figures), and with
// the choice the last bits of a sum.
//
// Thread rules: those of the communicator.
#pragma once

#include "base/result.h"
#include "base/time.h"
#include "collectives/communicator.h"
#include "collectives/schedules/choose.h"

namespace ringmaster::collectives {

/// All ranks, at least two, call it with the same `effort`, about the time that each of the three
/// may take; the result is the same on all. Errors are those of the collectives.
Result<schedules::Cost> calibrate(Communicator& ring, Duration effort);

}  // namespace ringmaster::collectives
