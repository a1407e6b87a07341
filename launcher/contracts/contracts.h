// SPDX-License-Identifier: Apache-2.0
//
// What a job's ranks on this host find besides our own session: the variables of every launcher's
// contract (variables.h), and the servers and folders behind them.
//
// The agent asks it for each rank that it starts, and tells it of each rank's end; it answers what
// that end means. MPI's way to end a job (an abort, a rank that leaves without its finalize)
// becomes words and an exit code like those of any failure.
//
// All ranks of a plain program start again together: the first one of a later attempt begins it for
// all. Each attempt has a MASTER_PORT and servers of its own, so that nothing which an older
// attempt has left is taken for the new one's. Ranks of an elastic job come and go singly; MPI and
// Horovod's static rendezvous have no place for that, and are not served there.
//
// Thread rules: the loop's thread. Handlers are called from the loop, or within end_of().
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file_descriptor.h"
#include "jobs/core/exit_status.h"
#include "launcher/contracts/job_folder.h"
#include "launcher/contracts/mpi_need.h"
#include "launcher/contracts/variables.h"
#include "launcher/master_port.h"

namespace boost::asio {
class io_context;
}

namespace ringmaster::launcher {

struct Plan;
class PmixHelper;
namespace pmi {
class Server;
}
namespace pmix {
struct Told;
}
namespace rendezvous {
class HttpServer;
}

/// What one rank is started with.
struct RankKit {
  std::vector<std::string> environment;  // complete but for the session's own variables
  FileDescriptor inherited;              // kept open until the rank runs; may be none
};

/// What a rank's end means.
struct RankEnd {
  jobs::ExitStatus status;
  std::string words;  // "" where the status says it all
};

class Contracts {
 public:
  struct Handlers {
    /// The rank cannot go on: it is to be killed, and its end_of() will say why.
    std::function<void(int rank)> on_failure;
    /// A line for the user.
    std::function<void(const std::string& line)> say;
  };
  /// `environment`: what every rank inherits. `plan` outlives this.
  static Result<std::unique_ptr<Contracts>> create(boost::asio::io_context& loop, const Plan& plan,
                                                   std::vector<std::string> environment,
                                                   Handlers handlers);
  ~Contracts();

  /// What the agent of one host of several is told, as it cannot count the others' ranks.
  void set_local_rank(int rank, int local_rank, int local_size);

  /// `attempt`: processes that the rank had before.
  Result<RankKit> prepare(int rank, int attempt);
  /// The rank's process has ended.
  RankEnd end_of(int rank, jobs::ExitStatus status);
  /// Processes of ours that live beside the ranks.
  std::vector<pid_t> helper_pids() const;
  /// Where torch's launch API has the rank write its last exception; "": nowhere.
  std::string error_file_of(int rank) const;

 private:
  struct Deadline;
  Contracts(boost::asio::io_context& loop, const Plan& plan, std::vector<std::string> environment,
            Handlers handlers);
  Result<void> begin_attempt();
  Result<void> start_rendezvous();
  Result<void> start_pmix();
  void on_told(const pmix::Told& told);
  RankFacts facts_of(int rank) const;
  void on_abort(int rank, int code);
  void on_failure(int rank, const std::string& words);

  boost::asio::io_context& loop_;
  const Plan& plan_;
  std::vector<std::string> environment_;
  Handlers handlers_;
  bool serves_;  // MPI and rendezvous
  MpiNeed need_ = MpiNeed::no;
  std::vector<Seat> seats_;
  LaunchFacts launch_;
  std::optional<MasterPort> port_;
  std::optional<JobFolder> folder_;
  std::unique_ptr<pmi::Server> pmi_;
  std::unique_ptr<PmixHelper> pmix_;
  std::unique_ptr<rendezvous::HttpServer> rendezvous_;
  std::vector<bool> inside_;      // of PMIx's clients: between MPI_Init and MPI_Finalize
  std::vector<bool> was_inside_;  // or after it
  std::optional<int> ended_without_mpi_ = {};  // a rank that PMIx's clients would wait for
  std::map<int, RankEnd> ends_;                // that are known before the processes' ends
  std::unique_ptr<Deadline> deadline_;
};

/// What the rank of a plan will find, as far as it is known before the start: no ports, descriptors
/// and folders. For dry runs.
Variables planned_variables(const Plan& plan, int rank);

}  // namespace ringmaster::launcher
