// SPDX-License-Identifier: Apache-2.0
//
// The ranks of a test program that an MPI launcher started: this process is one of them. Only tests
// include it.
#pragma once

#include <gtest/gtest.h>

#include <functional>

#include "collectives/mpi_plugin.h"
#include "collectives/mpi_settings.h"

namespace ringmaster::collectives {

/// For the whole program: MPI is joined once.
inline Result<MpiProcess>& mpi_process_for_test() {
  static Result<MpiProcess> process = MpiProcess::start();
  return process;
}

inline int mpi_ranks_for_test() {
  return read_mpi_place().ranks;
}

/// Runs `body(communicator)` as this process's rank, with a communicator of its own.
inline void run_mpi_rank(const std::function<void(Communicator&)>& body) {
  auto& process = mpi_process_for_test();
  ASSERT_TRUE(process.ok()) << process.error().message;
  auto made = process->make();
  ASSERT_TRUE(made.ok()) << made.error().message;
  (*made)->set_timeout(std::chrono::seconds(60));
  body(**made);
}

}  // namespace ringmaster::collectives
