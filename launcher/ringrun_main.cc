// SPDX-License-Identifier: Apache-2.0
//
// ringrun: starts N ranks of a program on this host. A table of contents in the order of life.
#include <fmt/format.h>

#include <cstdio>

#include "launcher/contracts/job_folder.h"
#include "launcher/dialects/launch_line.h"
#include "launcher/error_output.h"
#include "launcher/exit_codes.h"
#include "launcher/host_cores.h"
#include "launcher/host_facts.h"
#include "launcher/host_gpus.h"
#include "launcher/hostlist/list_text.h"
#include "launcher/job_runner.h"
#include "launcher/process/guard.h"
#include "launcher/process/sweep.h"
#include "launcher/programs.h"
#include "launcher/rank_environment.h"

namespace {

using namespace ringmaster;
using namespace ringmaster::launcher;

int fail_list(bool json, const hostlist::ListError& error) {
  if (!json)
    return fail_as("ringrun", json, {Errc::invalid, error.message()}, error.hint, kExitHostList);
  fmt::print(stderr, "{}\n", hostlist::list_error_json(error));
  return kExitHostList;
}

/// The plan on standard output, what a start would say first on standard error.
int show(const Plan& plan, bool json) {
  for (const std::string& remark : plan.remarks) fmt::print(stderr, "ringrun: {}\n", remark);
  return print_line(json ? plan_json(plan) : plan_text(plan));
}

}  // namespace

int main(int argc, char** argv) {
  // The command line.
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  auto spoken = read_launch_line(argv[0], arguments);
  if (!spoken) {
    const bool asked = asks_for_json(RunSettings().flags(), arguments);
    return fail_as("ringrun", asked, spoken.error(), "", kExitUsage);
  }
  const LaunchRules& rules = spoken->rules;
  const CommandLine* line = &spoken->line;
  RunSettings& settings = spoken->line.settings;
  const bool json = settings.json;
  if (!spoken->help.empty()) return print_line(spoken->help);
  if (line->help) return print_line(run_help(settings));
  if (line->print_config) return print_line(config_text(settings.flags()));
  // No flag is read below this line.

  // What it comes to on these hosts; everything that can be refused is refused here.
  auto programs = read_programs(*line, own_environment());
  if (!programs) return fail_as("ringrun", json, programs.error(), "", kExitUsage);
  const auto texts = rules.this_host ? HostTexts() : read_host_texts(settings);
  if (!texts) return fail_list(json, texts.error());
  const auto hosts = choose_hosts(*texts, texts->any() ? read_own_names() : OwnNames{});
  if (!hosts) return fail_list(json, hosts.error());
  HostFacts facts = read_host_facts();
  const bool places = needs_cores(settings, *hosts);
  const bool counts = rules.cores_are_slots && !texts->any();
  const auto cores = places || counts ? read_cores() : std::vector<mapping::Core>();
  auto fits =
      fit_programs(rules, texts->any(), static_cast<int>(cores.size()), &programs->programs);
  if (!fits) return fail_as("ringrun", json, fits.error(), "", exit_code_of_plan(fits.error()));
  if (places) facts.cores = cores;
  if (settings.map == "topo") look_at_gpus(&facts);
  auto plan = make_plan(settings, programs->programs, facts, *hosts);
  if (!plan) return fail_as("ringrun", json, plan.error(), "", exit_code_of_plan(plan.error()));
  plan->remarks.insert(plan->remarks.end(), programs->remarks.begin(), programs->remarks.end());
  plan->output.colours = wants_colours();
  apply_rules(*spoken, &*plan);
  if (settings.dry_run) return show(*plan, json);
  if (auto fine = check_startable(*plan); !fine) {
    return fail_as("ringrun", json, fine.error(), "", exit_code_of_plan(fine.error()));
  }

  if (rules.shows_plan && print_line(plan_text(*plan)) != 0) return kExitFailed;

  // Two processes: the launcher runs the job; the guard stays here, and clears up meanwhile what
  // earlier launches left behind when both of their watchers were killed.
  const int code = run_guarded([&] { return run_job(*plan, rank_environment()); },
                               [] {
                                 sweep();
                                 sweep_job_folders();
                               });
  remove_job_folders();  // when the launcher was killed, and did not
  return exit_code_of(rules, code);
}
