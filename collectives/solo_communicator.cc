// SPDX-License-Identifier: Apache-2.0
#include "collectives/solo_communicator.h"

#include "collectives/bytes.h"
#include "collectives/reduce.h"

namespace ringmaster::collectives {

Result<void> SoloCommunicator::all_reduce(const void* input, void* output, std::size_t count,
                                          Type type, Reduction reduction) {
  if (const std::string problem = reduction_problem(type, reduction); !problem.empty()) {
    return Error{Errc::invalid, "all_reduce: " + problem};
  }
  copy_bytes(output, input, count * size_of(type));
  return {};
}

Result<void> SoloCommunicator::reduce_scatter(const void* input, void* output, const Counts& counts,
                                              Type type, Reduction reduction) {
  CHECK_EQ(counts.size(), 1u);
  return all_reduce(input, output, counts[0], type, reduction);
}

Result<void> SoloCommunicator::all_gather(const void* input, void* output, const Counts& counts,
                                          Type type) {
  CHECK_EQ(counts.size(), 1u);
  copy_bytes(output, input, counts[0] * size_of(type));
  return {};
}

Result<void> SoloCommunicator::all_to_all(const void* input, const Counts& give, void* output,
                                          const Counts& take, Type type) {
  CHECK_EQ(give.size(), 1u);
  if (give != take) return Error{Errc::invalid, kTakesOther};
  return all_gather(input, output, give, type);
}

Result<void> SoloCommunicator::broadcast(void*, std::size_t, Type, int) {
  return {};
}

Result<void> SoloCommunicator::exchange(const std::vector<Transfer>& sends,
                                        const std::vector<Transfer>& receives) {
  return exchange_with_self(sends, receives, 0);
}

}  // namespace ringmaster::collectives
