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
  // Nobody else could send what one rank waits for: an unmatched transfer would hang.
  if (sends.size() != receives.size()) {
    return Error{Errc::mismatch, "send and receive: a world of one needs both at once"};
  }
  for (std::size_t i = 0; i < sends.size(); ++i) {
    const Transfer& from = sends[i];
    const Transfer& to = receives[i];
    if (from.count != to.count || from.type != to.type) {
      return Error{Errc::mismatch, "send and receive: not the same count and type"};
    }
    copy_bytes(to.data, from.data, from.count * size_of(from.type));
  }
  return {};
}

}  // namespace ringmaster::collectives
