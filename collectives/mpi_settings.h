// SPDX-License-Identifier: Apache-2.0
//
// Whether an MPI launcher started this process, and as which rank.
#pragma once

namespace ringmaster::collectives {

struct MpiPlace {
  int ranks = 1;  // 1: none, or nobody beside it
  int rank = 0;
};

/// Reads what Open MPI's launcher puts into the environment of its ranks: OMPI_COMM_WORLD_SIZE and
/// OMPI_COMM_WORLD_RANK. What cannot be of a launcher counts as none.
MpiPlace read_mpi_place();

}  // namespace ringmaster::collectives
