// SPDX-License-Identifier: Apache-2.0
//
// How arrays in the memory of GPUs are exchanged, once all ranks have agreed on a call: by NCCL
// (nccl_engine.h) or through host memory (staged_engine.h). GpuCommunicator chooses one for a
// generation and checks the calls.
//
// Arguments mean what they mean in communicator.h, whose checks have been made; the stream has
// been begun. An operation returns when its outputs are there; after an error nothing can be in
// step any more. Messages do not name the operation.
#pragma once

#include <functional>

#include "collectives/communicator.h"

namespace ringmaster::collectives {

/// How long an operation may take, and what ends it earlier.
struct Watch {
  std::function<bool()> aborted;  // whether the generation is over
  Duration timeout = std::chrono::minutes(30);
};

class DeviceEngine {
 public:
  virtual ~DeviceEngine() = default;

  virtual Result<void> all_reduce(const std::vector<Reduce>& group, const Watch& watch) = 0;
  virtual Result<void> reduce_scatter(const void* input, void* output, const Counts& counts,
                                      Type type, Reduction reduction, const Watch& watch) = 0;
  virtual Result<void> all_gather(const void* input, void* output, const Counts& counts, Type type,
                                  const Watch& watch) = 0;
  /// `largest`: the most elements that any position gives another.
  virtual Result<void> all_to_all(const void* input, const Counts& give, void* output,
                                  const Counts& take, std::size_t largest, Type type,
                                  const Watch& watch) = 0;
  /// `data` may be null; `null_somewhere` says on all ranks whether it is on one.
  virtual Result<void> broadcast(void* data, std::size_t count, Type type, int root,
                                 bool null_somewhere, const Watch& watch) = 0;
  virtual Result<void> exchange(const std::vector<Transfer>& sends,
                                const std::vector<Transfer>& receives, const Watch& watch) = 0;
};

}  // namespace ringmaster::collectives
