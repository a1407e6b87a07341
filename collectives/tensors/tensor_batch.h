// SPDX-License-Identifier: Apache-2.0
//
// A batch of named tensors, for the two files that make up Tensors.
#pragma once

#include <vector>

#include "collectives/tensors/tensors.h"

namespace ringmaster::collectives {

/// Handed in and not over.
struct Tensors::Pending {
  Tensor tensor;
  const void* input;
  void* output;
  WorkPointer work;
  Time submitted, agreed;
  bool voted = false;      // in a cycle
  bool announced = false;  // at a roll call

  std::uint64_t bytes() const { return tensor.count * size_of(tensor.type); }
};

/// Under the mutex of its Tensors.
struct Tensors::Batch {
  std::vector<Pending> pending;
  std::uint64_t bytes = 0;  // handed in so far
  bool closing = false;     // this rank hands nothing more in
};

}  // namespace ringmaster::collectives
