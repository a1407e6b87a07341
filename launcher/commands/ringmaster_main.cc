// SPDX-License-Identifier: Apache-2.0
//
// `ringmaster`: a table of commands.
#include <fmt/format.h>

#include "launcher/commands/command.h"

namespace {

using namespace ringmaster::launcher;

int run_version(const Arguments&) {
  fmt::print("ringmaster 0.1.0\n");
  return 0;
}

const std::vector<Command> kCommands = {
    {"up", "start a coordinator for this user", run_up},
    {"down", "end it and its jobs", run_down},
    {"serve", "run a coordinator in the foreground", run_serve},
    {"agent", "make this machine a host of a coordinator", run_agent},
    {"submit", "give a job to the coordinator", run_submit},
    {"jobs", "list jobs", run_jobs},
    {"status", "how a job is doing, and why", run_status},
    {"logs", "what a job's ranks wrote", run_logs},
    {"events", "what happened to a job and what was done about it", run_events},
    {"explain", "why a job waits, moved, healed or ended", run_explain},
    {"cancel", "end a job", run_cancel},
    {"hosts", "list hosts", run_hosts},
    {"reclaim", "take a local host away, as a drill", run_reclaim},
    {"keygen", "make a key for an agent or a user", run_keygen},
    {"report", "what a training run did: a page, a summary or JSON", run_report},
    {"bench", "how fast the ring heals and how well training scales here", run_bench},
    {"simulate", "run the job core in a simulated world, from seeds", run_simulate},
    {"hostlist", "read a host list of any launcher aloud", run_hostlist},
    {"topo", "how the GPUs of a machine are wired", run_topo},
    {"doctor", "what would spoil a run on this host, and what to do", run_doctor},
    {"schedule", "which algorithm ranks on several hosts use, by size", run_schedule},
    {"calibrate", "measure the network's constants for that, as the ranks of a job", run_calibrate},
    {"checkpoint", "list, verify and remove checkpoints in a store", run_checkpoint},
    {"version", "the version of this program", run_version},
};

}  // namespace

int main(int count, char** values) {
  return run_command("ringmaster",
                     "Keeps training jobs alive on hosts that may vanish, and measures them.",
                     kCommands, {values + 1, values + count});
}
