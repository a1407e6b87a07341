// SPDX-License-Identifier: Apache-2.0
//
// What a command line comes to: how many ranks, how many may be missing, which drills, and what a
// rank finds in its environment. Everything that can be refused is refused here, before anything
// is started.
//
// Pure: what the machine has is an argument.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "jobs/core/spec.h"
#include "launcher/binding.h"
#include "launcher/contracts/variables.h"
#include "launcher/settings.h"

namespace ringmaster::launcher {

/// A fault to inject when the rank has finished so many steps: SIGKILL to it, or a notice that its
/// host will be taken back.
struct Drill {
  int rank = 0;
  std::int64_t steps = 0;
  Duration notice = {};  // 0: SIGKILL
};

/// What this host has, as far as a plan depends on it.
struct HostFacts {
  std::string name;
  int cpus = 1;  // that we may use (affinity, quota)
  int gpus = 0;
  std::uint64_t open_files_max = 1024;     // the hard limit
  std::vector<Processor> processors = {};  // that we may use; only needed to bind ranks
};

struct Plan {
  jobs::JobSpec spec;
  std::vector<std::string> command;
  std::vector<Drill> drills;
  std::optional<Duration> timeout;
  std::string host;
  int cpus = 1;
  std::vector<std::vector<int>> processors = {};  // of each rank; none: not bound
  bool tag_output = false;
  // Only for a host of several (host_agent.h):
  std::vector<std::string> environment = {};  // of the job, over the agent's own
  std::string working_directory = {};
  std::string address = {};  // where this host's ranks listen for those of others; "": nowhere
  std::string secret = {};   // of the job, between its ranks
  std::string master_address = {};          // where rank 0 is found; "": on this host
  int master_port = 0;                      // 0: one of this host's
  std::int64_t save_every = 0;              // steps; 0: not by their number
  Duration save_period = Duration::zero();  // 0: not by the time
  std::uint64_t open_files = 0;             // that the launcher itself needs
  std::vector<std::string> remarks;         // lines that the user should see before the start
};

Result<Plan> make_plan(const RunSettings& settings, const std::vector<std::string>& command,
                       const HostFacts& host);

/// "kill:1@200".
Result<Drill> parse_drill(const std::string& text);
/// "2:4".
Result<std::pair<int, int>> parse_elastic(const std::string& text);

/// Where the rank may run; nothing: wherever the launcher may.
std::optional<std::vector<int>> processors_of(const Plan& plan, int rank);

/// The names that people look for first; contracts/variables.h has all.
Variables rank_variables(const Plan& plan, int rank, int master_port);

/// The plan for people, or for programs (design: {"hosts":[..],"ranks":[..]}).
std::string plan_text(const Plan& plan);
std::string plan_json(const Plan& plan);

}  // namespace ringmaster::launcher
