// SPDX-License-Identifier: Apache-2.0
//
// A world of one rank: every operation is a copy. A program that was started without a launcher
// runs on it, with no shared memory and no communication at all.
#pragma once

#include "collectives/communicator.h"

namespace ringmaster::collectives {

class SoloCommunicator : public Communicator {
 public:
  int size() const override { return 1; }
  int position() const override { return 0; }
  Result<void> all_reduce(const void* input, void* output, std::size_t count, Type type,
                          Reduction reduction) override;
  Result<void> broadcast(void* data, std::size_t count, Type type, int root) override;
  using Communicator::all_gather;
  Result<void> reduce_scatter(const void* input, void* output, const Counts& counts, Type type,
                              Reduction reduction) override;
  Result<void> all_gather(const void* input, void* output, const Counts& counts,
                          Type type) override;
  Result<void> all_to_all(const void* input, const Counts& give, void* output, const Counts& take,
                          Type type) override;
  Result<void> barrier() override { return {}; }
  /// With itself: the n-th send is what the n-th receive gets.
  Result<void> exchange(const std::vector<Transfer>& sends,
                        const std::vector<Transfer>& receives) override;
};

}  // namespace ringmaster::collectives
