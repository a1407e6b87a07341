// SPDX-License-Identifier: Apache-2.0
//
// `ringmaster bench`: the table of benchmarks.
#include "launcher/commands/command.h"

namespace ringmaster::launcher {

int run_bench(const Arguments& arguments) {
  static const std::vector<Command> commands = {
      {"allreduce", "time by size, beside MPI libraries", run_bench_allreduce},
      {"coordinator", "decisions and restarts after many jobs", run_bench_coordinator},
      {"launch", "start and end of a job, beside other launchers", run_bench_launch},
      {"output", "the output of ranks into a file, beside other launchers", run_bench_output},
      {"recovery", "kills ranks and times how fast the ring goes on", run_bench_recovery},
      {"scaling", "speed-up of training over one rank", run_bench_scaling},
      {"topology", "reading this machine, finding rings, placing jobs", run_bench_topology},
      {"output-rank", "", run_output_rank},
      {"recovery-rank", "", run_recovery_rank},
  };
  return run_command("ringmaster bench",
                     "Measures this machine; the exit code is 1 when a bar is missed.", commands,
                     arguments);
}

}  // namespace ringmaster::launcher
