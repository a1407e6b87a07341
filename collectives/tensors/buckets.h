// SPDX-License-Identifier: Apache-2.0
//
// Which tensors are reduced together, and in what order: the same on all ranks, for it follows from
// what all of them know.
//
// Small tensors are fused because an all-reduce of a few bytes costs as much as one of some KiB.
// Within a bucket tensors stand in the order in which they lie in the memory of the first position:
// where all ranks lay them out alike, neighbours form one array and nothing is copied. (The order
// of submission would be the obvious one; a backward pass hands its gradients in from the last to
// the first, and then nothing lies in order.)
//
// Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/communicator.h"

namespace ringmaster::collectives {

/// A tensor that all ranks have handed in.
struct ReadyTensor {
  std::size_t id = 0;  // in the order in which ranks heard of it
  Type type = RINGMASTER_FLOAT32;
  Reduction reduction = RINGMASTER_SUM;
  std::uint64_t bytes = 0;
  std::uint64_t address = 0;  // at the first position
};

/// Indices into `ready`, a bucket each: of one type and reduction, and not larger than
/// `bucket_bytes` unless it is a single tensor.
std::vector<std::vector<std::size_t>> plan_buckets(const std::vector<ReadyTensor>& ready,
                                                   std::uint64_t bucket_bytes);

}  // namespace ringmaster::collectives
