// SPDX-License-Identifier: Apache-2.0
//
// ringrun: starts N ranks of a program on this host. A table of contents in the order of life.
#include <fmt/format.h>

#include <cstdio>

#include "launcher/contracts/job_folder.h"
#include "launcher/error_output.h"
#include "launcher/host_facts.h"
#include "launcher/job_runner.h"
#include "launcher/process/guard.h"
#include "launcher/process/sweep.h"
#include "launcher/rank_environment.h"

int main(int argc, char** argv) {
  using namespace ringmaster;
  using namespace ringmaster::launcher;

  // The command line.
  RunSettings settings;
  const Flags flags = settings.flags();
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const auto parsed = parse_flags(flags, arguments, Rest::command);
  if (!parsed) {
    const bool json = asks_for_json(flags, arguments);
    return fail_as("ringrun", json, parsed.error(), "", kExitUsage);
  }
  if (parsed->help) return print_line(run_help(settings));
  if (parsed->print_config) return print_line(config_text(flags));
  // No flag is read below this line.

  // What it comes to on this host; everything that can be refused is refused here.
  HostFacts host = read_host_facts();
  if (settings.bind != "none") host.processors = read_processors();
  const auto plan = make_plan(settings, parsed->rest, host);
  if (!plan) return fail_as("ringrun", settings.json, plan.error(), "", kExitUsage);
  if (settings.dry_run) return print_line(settings.json ? plan_json(*plan) : plan_text(*plan));

  // What earlier launches left behind when both of their watchers were killed.
  sweep();
  sweep_job_folders();

  // Two processes: the guard stays here, the launcher runs the job.
  const int code = run_guarded([&] { return run_job(*plan, rank_environment()); });
  remove_job_folders();  // when the launcher was killed, and did not
  return code;
}
