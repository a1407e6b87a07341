// SPDX-License-Identifier: Apache-2.0
//
// A call of the C ABI as a value, so that it can be carried out later, by another thread.
//
// Pure, but for perform().
#pragma once

#include <vector>

#include "collectives/communicator.h"

namespace ringmaster::collectives {

struct Operation {
  enum class Kind { all_reduce, reduce_scatter, all_gather, all_to_all, broadcast, barrier, group };

  Kind kind = Kind::barrier;
  const void* input = nullptr;
  void* output = nullptr;
  std::size_t count = 0;  // of an all_reduce and a broadcast
  Type type = RINGMASTER_FLOAT32;
  Reduction reduction = RINGMASTER_SUM;
  int root = 0;
  Counts counts{};  // by position; of an all_to_all: what is given
  Counts take{};    // of an all_to_all
  // Of a group: the all-reduces are carried out first, then all sends and receives at once.
  std::vector<Reduce> reduces{};
  std::vector<Transfer> sends{}, receives{};
};

Result<void> perform(Communicator& engine, const Operation& operation);

}  // namespace ringmaster::collectives
