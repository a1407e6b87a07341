// SPDX-License-Identifier: Apache-2.0
//
// What the commands of `ringmaster` have in common: how one is listed and run, and how one fails.
//
// A failure is one line for people on standard error, or one JSON object there when the command was
// asked for --json. It is made and printed in one place, so that all commands fail alike.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/settings.h"
#include "launcher/error_output.h"

namespace ringmaster::launcher {

using Arguments = std::vector<std::string>;

struct Command {
  std::string_view name;
  std::string_view purpose;  // one line; empty for a command that people do not start themselves
  int (*run)(const Arguments& arguments);  // the exit code: 0 only on success
};

/// Prints the error (and what to try, when there is a hint) and returns `exit_code`.
int fail(bool json, const Error& error, std::string_view hint = "", int exit_code = kExitFailed);

/// Whether --json is among the arguments: an error in reading them must know it too.
bool wants_json(const Arguments& arguments);

/// A command's command line: what it takes and what its help says.
struct Usage {
  std::string_view usage;  // "ringmaster report METRICS [options]"
  std::string_view purpose;
  std::string_view example;
  Rest rest = Rest::none;
};

/// Reads the arguments. Nothing to run is left when --help or --print-config was answered, or they
/// are wrong: then `exit_code` says how to end.
struct Read {
  bool run = false;
  int exit_code = 0;
  std::vector<std::string> words = {};
};
Read read_arguments(const Usage& usage, const Flags& flags, const Arguments& arguments);

int run_report(const Arguments& arguments);
int run_bench(const Arguments& arguments);
int run_bench_allreduce(const Arguments& arguments);
int run_bench_scaling(const Arguments& arguments);
int run_bench_recovery(const Arguments& arguments);
int run_bench_coordinator(const Arguments& arguments);
int run_bench_launch(const Arguments& arguments);
int run_bench_output(const Arguments& arguments);
int run_bench_topology(const Arguments& arguments);
int run_output_rank(const Arguments& arguments);
int run_simulate(const Arguments& arguments);
int run_schedule(const Arguments& arguments);
int run_calibrate(const Arguments& arguments);
int run_serve(const Arguments& arguments);
int run_agent(const Arguments& arguments);
int run_up(const Arguments& arguments);
int run_down(const Arguments& arguments);
int run_submit(const Arguments& arguments);
int run_jobs(const Arguments& arguments);
int run_status(const Arguments& arguments);
int run_hosts(const Arguments& arguments);
int run_hostlist(const Arguments& arguments);
int run_topo(const Arguments& arguments);
int run_doctor(const Arguments& arguments);
int run_events(const Arguments& arguments);
int run_explain(const Arguments& arguments);
int run_logs(const Arguments& arguments);
int run_cancel(const Arguments& arguments);
int run_reclaim(const Arguments& arguments);
int run_keygen(const Arguments& arguments);
int run_checkpoint(const Arguments& arguments);
int run_recovery_rank(const Arguments& arguments);

/// Runs the one of `commands` that the first argument names. `program` is how it is started
/// ("ringmaster bench"), for messages and for the list that --help prints.
int run_command(std::string_view program, std::string_view purpose,
                const std::vector<Command>& commands, const Arguments& arguments);

}  // namespace ringmaster::launcher
