// SPDX-License-Identifier: Apache-2.0
//
// Waits for MPI with a deadline. MPI's own waits have none, so every operation is begun without
// blocking and asked whether it is done; asking is also what makes it go on.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace ringmaster::collectives {

/// Errc::io with MPI's text, unless the code is MPI_SUCCESS.
Result<void> check_mpi(int code, const char* what);

/// Until all requests are done. After a time-out they are still under way: MPI cannot take a
/// collective back, and may write into the arrays until the process ends.
Result<void> wait_mpi(std::vector<MPI_Request>& requests, Duration timeout);

/// Whether something is under way that nobody waits for any more: then MPI cannot be finalized.
bool mpi_is_unsound();

}  // namespace ringmaster::collectives
