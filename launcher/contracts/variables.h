// SPDX-License-Identifier: Apache-2.0
//
// What programs of other launchers look for in their environment, as one table: torchrun's workers,
// Horovod's Gloo controller, Open MPI, MPICH, and the names that Ray Train, DeepSpeed, accelerate
// and JAX read.
//
// All of them at once, for every program: the names do not collide and their numbers agree, so
// nobody has to say which framework a script uses. What would mislead is left out, and the reason
// stands in docs/contracts.md, which is made from this table.
//
// Pure. Not here: which inherited variables are taken away first (foreign.h); descriptors, servers
// and folders behind some of the values (contracts.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launcher/contracts/seats.h"

namespace ringmaster::launcher {

/// The same for all ranks of one attempt of a job. What is empty, or 0 for ports, is not served:
/// the variables that tell of it are not set then.
struct LaunchFacts {
  std::vector<std::string> hosts =
      {};                // names, in the order of Seat::host; none: we know our own only
  std::string run = {};  // names this job among those of its user
  std::string master_address = {};
  int master_port = 0;
  int restarts = 0;  // attempts before this one
  int restarts_max = 0;
  std::string rendezvous_address = {};  // of the HTTP key-value store
  int rendezvous_port = 0;
  std::string error_folder = {};  // where torch's error files go
  std::string log_folder = {};    // torchrun's, which has them instead; "": there is none
  std::string mpi_folder = {};    // of Open MPI's shared memory, beside a PMIx server
  bool crowded = false;           // ranks share processors
  bool plain_host = false;        // all ranks on one host that has no GPU and no fast network
};

/// What is one rank's beside its seat.
struct RankFacts {
  Seat seat;
  int ranks = 1;
  int cores = 0;    // that it is bound to; 0: to none
  int pmi_fd = -1;  // its connection to the PMI server
};

/// Who has the last word on a variable, besides the user's -x, which always has it.
enum class Precedence {
  launch,     // the launch: an inherited value tells of another one
  inherited,  // the user's own environment
};

struct ContractVariable {
  std::string_view name;
  std::string_view contract;  // whose: "torchrun"
  std::string_view meaning;
  /// Nothing: it is not set.
  std::optional<std::string> (*value)(const LaunchFacts&, const RankFacts&);
  Precedence precedence = Precedence::launch;
};

const std::vector<ContractVariable>& contract_variables();

using Variables = std::vector<std::pair<std::string, std::string>>;

/// Those of one rank, in the table's order.
Variables contract_values(const LaunchFacts& launch, const RankFacts& rank);

}  // namespace ringmaster::launcher
