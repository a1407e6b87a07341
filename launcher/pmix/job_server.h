// SPDX-License-Identifier: Apache-2.0
//
// libpmix's server for one job on one host: tells it who the ranks are, and hears what they do.
//
// Facts about Open MPI 4.1 with libpmix 4.2: from the map of hosts and the map of ranks the library
// makes sizes, peers and local numbers itself; arrays about single ranks, where given, must hold
// rank, local rank and node rank, or MPI_Init fails. A fence of ranks of one host never leaves the
// library. Calls with a completion either say that they are complete or call back from libpmix's
// thread, which is why each of them waits on an eventfd.
//
// Thread rules: serve() from the main thread, once; reports come from libpmix's thread.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace ringmaster::launcher::pmix {

struct JobToServe {
  std::string name;  // PMIx's namespace
  std::string host;
  std::string folder;  // for the server's files and those of ranks
  int ranks = 1;
};

/// Starts the server, whose life is the process's. The result is what ranks find of it in their
/// environment, as the first rank's.
Result<std::vector<std::string>> serve(const JobToServe& job);

}  // namespace ringmaster::launcher::pmix
