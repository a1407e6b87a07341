// SPDX-License-Identifier: Apache-2.0
//
// The job whose ranks the recovery benchmark kills: under ringrun on this host, or below a
// coordinator of the benchmark's own with several local hosts.
//
// Thread rules: blocks; whatever it started is gone when it is.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "launcher/process/program.h"

namespace ringmaster::launcher {

struct RecoveryPlan {
  int ranks = 4;
  int hosts = 0;  // 0: under ringrun
  std::int64_t restarts = 10;
  std::string log;  // where ranks write down their all-reduces
};

class RecoveryJob {
 public:
  static Result<std::unique_ptr<RecoveryJob>> start(const RecoveryPlan& plan,
                                                    const TemporaryFolder& folder);
  ~RecoveryJob();

  /// Waits while the job must go on running.
  Result<void> let_run(Duration time);
  /// Waits for its good end: the ranks were told to end.
  Result<void> finish(Duration patience);

  /// SIGKILL at once to the agent, the guard and all ranks of the host where the process of a rank
  /// runs. `processes`: the pids of all ranks by number. Returns the numbers of those that died.
  Result<std::set<int>> kill_host_of(int rank, const std::vector<int>& processes) const;

 private:
  RecoveryJob(const RecoveryPlan& plan, const TemporaryFolder& folder)
      : plan_(plan), folder_(folder) {}
  Result<void> start_under_ringrun(const std::string& self);
  Result<void> start_under_coordinator(const std::string& self);
  std::vector<std::string> rank_command(const std::string& self) const;
  std::string output() const { return folder_.file("output"); }
  std::string home() const { return folder_.file("home"); }

  RecoveryPlan plan_;
  const TemporaryFolder& folder_;
  std::optional<Program> program_;
};

}  // namespace ringmaster::launcher
