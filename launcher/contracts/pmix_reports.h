// SPDX-License-Identifier: Apache-2.0
//
// What the PMIx server's process tells the launcher: a letter, a text without NUL, a NUL. They
// come from one process of ours over an inherited socket; still nothing that is read is trusted
// with more than a rank's number within the job.
//
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringmaster::launcher::pmix {

enum class Report : char {
  variable = 'v',      // "NAME=VALUE" for each rank; PMIX_RANK is each rank's own
  ready = 'r',         // all variables are told, ranks may start
  failed = 'f',        // there is no server, because of the text
  connected = 'c',     // "RANK": MPI_Init
  finalized = 'd',     // "RANK": MPI_Finalize
  aborted = 'a',       // "RANK STATUS": MPI_Abort
  spawn_refused = 's'  // "RANK": MPI_Comm_spawn
};

struct Told {
  Report report = Report::failed;
  std::string text = {};
  int rank = -1;   // of those that name one
  int status = 0;  // of an abort
};

/// Takes whole reports off the front of `bytes`; what is no report is dropped. `ranks`: a report
/// that names another rank is none.
std::vector<Told> take_reports(std::string& bytes, int ranks);

}  // namespace ringmaster::launcher::pmix
