// SPDX-License-Identifier: Apache-2.0
//
// MPI, for programs that an MPI launcher started: where a site's network is known only to its MPI.
//
// Whatever links MPI is in a library of its own (collectives/mpi, built where Open MPI is found),
// which is loaded only then: programs that were started otherwise need no MPI, whatever the build
// had.
//
// Thread rules: one thread at a time, also for the communicators that it makes.
#pragma once

#include <memory>
#include <vector>

#include "collectives/communicator.h"

namespace ringmaster::collectives {

/// What the library exports, under the name kMpiPluginSymbol.
struct MpiPlugin {
  static constexpr int kLayout = 1;  // grows whenever this struct or Communicator changes
  int layout = kLayout;
  Result<void> (*start)() = nullptr;
  Result<std::unique_ptr<Communicator>> (*make)() = nullptr;
  void (*finish)() = nullptr;
};
inline constexpr const char* kMpiPluginFile = "libringmaster-mpi.so";
inline constexpr const char* kMpiPluginSymbol = "ringmaster_mpi_plugin";

/// This process as a rank of MPI, from MPI_Init to MPI_Finalize, unless the program calls these
/// itself.
class MpiProcess {
 public:
  /// Loads the library, which lies beside this one, and joins MPI. Errc::not_found: this build has
  /// none.
  static Result<MpiProcess> start();

  MpiProcess(MpiProcess&& other) noexcept;
  MpiProcess& operator=(MpiProcess&&) = delete;
  /// Leaves MPI when all ranks do; a rank that is alone in that leaves without (the launcher then
  /// ends the others).
  ~MpiProcess();

  /// A communicator of all ranks, which all ranks make. It must not outlive the process object. It
  /// is not elastic: MPI ends all ranks when one is lost.
  Result<std::unique_ptr<Communicator>> make() const { return plugin_->make(); }

 private:
  explicit MpiProcess(const MpiPlugin* plugin) : plugin_(plugin) {}
  const MpiPlugin* plugin_;
};

}  // namespace ringmaster::collectives
