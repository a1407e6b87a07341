// SPDX-License-Identifier: Apache-2.0
//
// What a command line comes to: how many ranks of which program, where each is, how many may be
// missing, which drills, and what a rank finds in its environment. Everything that can be refused
// is refused here, before anything is started.
//
// Pure: what the machine has, and which hosts there are, are arguments.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "jobs/core/spec.h"
#include "launcher/host_choice.h"
#include "launcher/input/input_wish.h"
#include "launcher/mapping/bind_ranks.h"
#include "launcher/output/rank_outputs.h"
#include "launcher/settings.h"
#include "launcher/variables.h"
#include "topology/topology.h"

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
  std::string name = {};
  int cpus = 1;  // that we may use (affinity, quota)
  int gpus = 0;
  std::uint64_t open_files_max = 1024;    // the hard limit
  std::vector<mapping::Core> cores = {};  // that we may use; only where needs_cores says so
  // Only with --map topo:
  std::optional<topology::Topology> machine = {};
  std::optional<std::string> visible = {};  // the value of CUDA_VISIBLE_DEVICES
};

/// What some ranks run, and how.
struct RankProgram {
  std::vector<std::string> command = {};
  int ranks = 0;                       // 0: as many as there is room for
  std::string working_directory = {};  // "": the launcher's own
  Variables variables = {};            // the user's choice, over all that a launcher sets
};

struct Plan {
  jobs::JobSpec spec;
  std::vector<RankProgram> programs;            // at least one; ranks are numbered through them
  std::vector<mapping::Placement> places = {};  // of each rank; none: they are all on this host
  std::vector<std::optional<int>> gpus = {};    // of each host in `places`; nothing: not looked at
  std::vector<int> gpu_order = {};              // numbers, by local rank; none: as they are
  mapping::Binding processors = {};             // of each rank; none: not bound
  std::vector<Drill> drills;
  std::optional<Duration> timeout;
  std::optional<Duration> no_progress;                 // how long the job may stand still
  Duration interrupt_grace = std::chrono::seconds(5);  // after ctrl-C, in place of spec.grace
  InputWish input = {};
  std::string host;
  int cpus = 1;
  OutputWishes output = {};
  std::string torch_program = {};  // a block tells how it failed, as torchrun's; "": none does
  // Only for a host of several (host_agent.h):
  std::vector<std::string> environment = {};  // of the job, over the agent's own
  std::string address = {};  // where this host's ranks listen for those of others; "": nowhere
  std::string secret = {};   // of the job, between its ranks
  std::string master_address = {};          // where rank 0 is found; "": on this host
  int master_port = 0;                      // 0: one of this host's
  std::int64_t save_every = 0;              // steps; 0: not by their number
  Duration save_period = Duration::zero();  // 0: not by the time
  std::uint64_t open_files = 0;             // that the launcher itself needs
  std::vector<std::string> remarks;         // lines that the user should see before the start
};

/// Whether the plan depends on this host's cores, so that they must be in its facts.
bool needs_cores(const RunSettings& settings, const HostChoice& hosts);

/// `host` is this one. Errc::exhausted: too few of something; not_found: hosts would have to be
/// looked at.
Result<Plan> make_plan(const RunSettings& settings, const std::vector<RankProgram>& programs,
                       const HostFacts& host, const HostChoice& hosts);

/// Refuses a plan with ranks on other hosts, which cannot be started.
Result<void> check_startable(const Plan& plan);

/// "kill:1@200".
Result<Drill> parse_drill(const std::string& text);
/// "2:4".
Result<std::pair<int, int>> parse_elastic(const std::string& text);

/// Where the rank may run; nothing: wherever the launcher may.
std::optional<std::vector<int>> processors_of(const Plan& plan, int rank);

/// What the rank runs.
const RankProgram& program_of(const Plan& plan, int rank);

/// Names of the hosts that have ranks, in the order of Placement::host_index.
std::vector<std::string> hosts_of(const Plan& plan);

/// The plan for people, or for programs (design: {"hosts":[..],"ranks":[..]}).
std::string plan_text(const Plan& plan);
std::string plan_json(const Plan& plan);

}  // namespace ringmaster::launcher
