// SPDX-License-Identifier: Apache-2.0
#include "collectives/communicator.h"

namespace ringmaster::collectives {

Result<void> Communicator::all_reduce_group(const std::vector<Reduce>& group) {
  for (const Reduce& one : group) {
    auto reduced = all_reduce(one.input, one.output, one.count, one.type, one.reduction);
    if (!reduced) return reduced;
  }
  return {};
}

}  // namespace ringmaster::collectives
