// SPDX-License-Identifier: Apache-2.0
//
// MPI's types and operations for ours. It has no floats of 16 bits: they travel as whole numbers of
// that size, and are reduced by our own kernels, which round at each step of MPI's algorithm. So
// are bytes: Open MPI's vector code for them stops a sum at 255, and is meant to, where the rest
// of it and all of ours wraps around.
#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "collectives/communicator.h"

namespace ringmaster::collectives {

MPI_Datatype mpi_type(Type type);

/// The operations that MPI has to be told. They end before MPI does.
class MpiOperations {
 public:
  static Result<std::unique_ptr<MpiOperations>> make();
  MpiOperations(const MpiOperations&) = delete;
  MpiOperations& operator=(const MpiOperations&) = delete;
  ~MpiOperations();

  /// An average is summed; its factor comes afterwards.
  MPI_Op find(Type type, Reduction reduction) const;

 private:
  MpiOperations() = default;
  std::vector<MPI_Op> made_;  // sum, min, max, product of float16, of bfloat16, of uint8
};

}  // namespace ringmaster::collectives
