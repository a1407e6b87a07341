// SPDX-License-Identifier: Apache-2.0
//
// ringmaster-pmix: the PMIx server of one attempt of a job, as a process of its own, so that the
// launcher neither links nor loads libpmix: that library has threads, handlers and an exit of its
// own, and most programs need none of it.
//
//     ringmaster-pmix FD NAMESPACE HOST FOLDER RANKS
//
// is started by the launcher only. It says on FD, a socket, what contracts/pmix_reports.h lists,
// and ends when the other side is closed or its parent dies. FOLDER is the launcher's to remove.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "launcher/pmix/job_server.h"
#include "launcher/pmix/report_writer.h"

namespace {

using namespace ringmaster::launcher::pmix;

/// Blocks until the launcher is done with us.
void wait_for_the_end(int fd) {
  char byte = 0;
  while (::read(fd, &byte, 1) > 0) {
  }
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int kArguments = 6;
  if (argc != kArguments) {
    std::fprintf(stderr, "ringmaster-pmix is started by ringrun, for its ranks\n");
    return 2;
  }
  const int fd = std::atoi(argv[1]);
  open_reports(fd);
  const JobToServe job{argv[2], argv[3], argv[4], std::atoi(argv[5])};
  const auto served = serve(job);
  if (!served) {
    report(Report::failed, served.error().message);
    return 1;
  }
  for (const std::string& variable : *served) report(Report::variable, variable);
  report(Report::ready, "");
  wait_for_the_end(fd);
  // What libpmix has opened goes with the process; its own way out waits for clients that may be
  // dead already.
  ::_exit(0);
}
