// SPDX-License-Identifier: Apache-2.0
//
// What the library of the MPI engine exports (collectives/mpi_plugin.h).
#include "collectives/mpi_plugin.h"

#include "collectives/mpi/mpi_communicator.h"
#include "collectives/mpi/mpi_wait.h"

namespace ringmaster::collectives {

namespace {

/// How long a rank that leaves waits for the others: MPI_Finalize itself would wait for ever.
constexpr Duration kLeaveMax = std::chrono::seconds(10);

/// Whether it was we who initialised MPI, and so end it.
bool is_ours = false;

Result<void> start_mpi() {
  int done = 0;
  MPI_Finalized(&done);
  if (done != 0) return Error{Errc::invalid, "MPI has been finalized in this process"};
  MPI_Initialized(&done);
  int provided = MPI_THREAD_SINGLE;
  // Not always the same thread: reductions may go on in the background.
  constexpr int kNeeded = MPI_THREAD_SERIALIZED;
  auto ready = done != 0 ? check_mpi(MPI_Query_thread(&provided), "MPI_Query_thread")
                         : check_mpi(MPI_Init_thread(nullptr, nullptr, kNeeded, &provided),
                                     "MPI_Init_thread");
  is_ours = is_ours || (ready && done == 0);
  if (ready && provided < kNeeded) {
    return Error{Errc::invalid, "MPI was initialised without MPI_THREAD_SERIALIZED"};
  }
  return ready;
}

Result<std::unique_ptr<Communicator>> make_mpi() {
  auto made = MpiCommunicator::make();
  if (!made) return made.error();
  return std::unique_ptr<Communicator>(std::move(*made));
}

void finish_mpi() {
  int done = 0;
  MPI_Finalized(&done);
  if (!is_ours || done != 0 || mpi_is_unsound()) return;
  std::vector<MPI_Request> all(1, MPI_REQUEST_NULL);
  if (MPI_Ibarrier(MPI_COMM_WORLD, all.data()) != MPI_SUCCESS) return;
  if (wait_mpi(all, kLeaveMax)) MPI_Finalize();
}

}  // namespace
}  // namespace ringmaster::collectives

extern "C" {
__attribute__((visibility("default"))) ringmaster::collectives::MpiPlugin ringmaster_mpi_plugin = {
    .start = ringmaster::collectives::start_mpi,
    .make = ringmaster::collectives::make_mpi,
    .finish = ringmaster::collectives::finish_mpi};
}
