// SPDX-License-Identifier: Apache-2.0
//
// The launcher's side of the PMIx server: starts ringmaster-pmix for one attempt of a job, waits
// until ranks can be started, then hears what they do in MPI.
//
// The process dies with the launcher (PDEATHSIG, guard) and is killed when this goes: its files lie
// in the job's folder, and MPI's ranks have ended by then.
//
// Thread rules: the loop's thread. Handlers are called from the loop, or within drain().
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "launcher/contracts/pmix_reports.h"

namespace boost::asio {
class io_context;
}

namespace ringmaster::launcher {

class PmixHelper {
 public:
  struct Job {
    std::string name;  // PMIx's namespace, new for each attempt
    std::string host;
    std::string folder;  // that exists, and is removed by its owner
    int ranks = 1;
    std::vector<std::string> environment;
  };
  using OnTold = std::function<void(const pmix::Told&)>;

  /// Blocks until the server is there, at most 10 s; 20 ms are usual.
  static Result<std::unique_ptr<PmixHelper>> start(boost::asio::io_context& loop, const Job& job,
                                                   OnTold on_told);
  ~PmixHelper();

  /// What every rank finds; PMIX_RANK is each rank's own.
  const std::vector<std::string>& variables() const;
  /// Hears what was told and is not heard yet.
  void drain();
  pid_t pid() const;

 private:
  struct Parts;
  explicit PmixHelper(std::shared_ptr<Parts> parts);
  std::shared_ptr<Parts> parts_;  // shared, so that a handler that waits in the loop can tell
};

}  // namespace ringmaster::launcher
