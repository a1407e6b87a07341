// SPDX-License-Identifier: Apache-2.0
//
// The calls of the C ABI as operations, once what a C caller may get wrong has been looked at: null
// pointers, types, reductions and positions that there are not, sums of counts beyond memory.
//
// Not here: what only all ranks together can tell (the engines compare their calls).
#pragma once

#include "collectives/async/operation.h"
#include "collectives/handle.h"

namespace ringmaster::collectives {

Result<void> check_communicator(const char* operation, const ringmaster_communicator* communicator);
Result<void> check_type(const char* operation, ringmaster_type type);
/// Whether the arrays are there, and the type and the reduction too.
Result<void> check_reduce(const char* operation, const void* input, const void* output,
                          std::size_t count, ringmaster_type type, ringmaster_reduction reduction);

Result<Operation> all_reduce_call(const ringmaster_communicator* communicator, const void* input,
                                  void* output, std::size_t count, ringmaster_type type,
                                  ringmaster_reduction reduction);
Result<Operation> broadcast_call(const ringmaster_communicator* communicator, void* data,
                                 std::size_t count, ringmaster_type type, int root);
Result<Operation> all_gather_call(const ringmaster_communicator* communicator, const void* input,
                                  void* output, std::size_t count, ringmaster_type type);
Result<Operation> all_gather_counts_call(const ringmaster_communicator* communicator,
                                         const void* input, void* output, const std::size_t* counts,
                                         ringmaster_type type);
Result<Operation> reduce_scatter_call(const ringmaster_communicator* communicator,
                                      const void* input, void* output, const std::size_t* counts,
                                      ringmaster_type type, ringmaster_reduction reduction);
Result<Operation> all_to_all_call(const ringmaster_communicator* communicator, const void* input,
                                  const std::size_t* give, void* output, const std::size_t* take,
                                  ringmaster_type type);
Result<Operation> barrier_call(const ringmaster_communicator* communicator);
/// A group of one; `data` is only read.
Result<Operation> send_call(const ringmaster_communicator* communicator, const void* data,
                            std::size_t count, ringmaster_type type, int to);
Result<Operation> receive_call(const ringmaster_communicator* communicator, void* data,
                               std::size_t count, ringmaster_type type, int from);

}  // namespace ringmaster::collectives
