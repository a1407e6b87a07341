// SPDX-License-Identifier: Apache-2.0
//
// `ringmaster simulate`: the job core in a simulated world; the way to look at a failing seed.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/time.h"
#include "jobs/simulator/simulate.h"
#include "launcher/commands/command.h"

namespace ringmaster::launcher {

namespace {

using namespace jobs::simulator;

std::vector<std::string> bug_names() {
  std::vector<std::string> names;
  for (int bug = 0; bug < kPlantedBugs; ++bug) {
    names.push_back(bug_name(static_cast<PlantedBug>(bug)));
  }
  return names;
}

PlantedBug bug_of(const std::string& name) {
  int bug = 0;
  while (bug_name(static_cast<PlantedBug>(bug)) != name) ++bug;
  return static_cast<PlantedBug>(bug);
}

int report_failure(bool json, const SimulationOutcome& outcome, PlantedBug bug) {
  return fail(json, {Errc::corrupt, fmt::format("seed {}: {}", outcome.seed, outcome.violation)},
              replay_command(outcome.seed, bug));
}

int run_one(std::uint64_t seed, const SimulationOptions& options, bool json) {
  const auto outcome = simulate(seed, options);
  for (const std::string& line : outcome.trace) fmt::print("{}\n", line);
  if (!outcome.passed()) return report_failure(json, outcome, options.bug);
  if (json) {
    fmt::print("{}\n", nlohmann::json{{"seed", seed},
                                      {"state", jobs::state_name(outcome.state)},
                                      {"exit_code", outcome.exit_code},
                                      {"generations", outcome.generations}}
                           .dump());
  } else {
    fmt::print("seed {}: {}\n{} after {} generations in {:.1f} simulated seconds: {}\n", seed,
               outcome.plan, jobs::state_name(outcome.state), outcome.generations,
               outcome.simulated_seconds, outcome.reason);
  }
  return 0;
}

int run_many(std::uint64_t first, std::int64_t seeds, const SimulationOptions& options, bool json) {
  Coverage coverage;
  const Time begin = read_clock();
  for (std::int64_t turn = 0; turn < seeds; ++turn) {
    const auto outcome = simulate(first + static_cast<std::uint64_t>(turn), options);
    if (!outcome.passed()) return report_failure(json, outcome, options.bug);
    coverage.add(outcome.coverage);
  }
  const double seconds = to_seconds(read_clock() - begin);
  if (json) {
    fmt::print("{}\n",
               nlohmann::json{{"seeds", seeds}, {"seconds", seconds}, {"failed", 0}}.dump());
  } else {
    fmt::print("{}{} seeds, all hold, {:.0f} seeds a second\n", table(coverage), seeds,
               static_cast<double>(seeds) / seconds);
  }
  return 0;
}

}  // namespace

int run_simulate(const Arguments& arguments) {
  SimulationOptions options;
  std::int64_t seed = -1, seeds = 1000;
  std::string bug = bug_names().front();
  bool json = false;
  const Flags flags = {
      {"--seeds", &seeds, "N", "how many seeds to run, from 1 on", between(1, 1e12)},
      {"--seed", &seed, "S", "run this seed alone", between(0, 1e18)},
      {"--trace", &options.trace, "", "print what happens, with --seed"},
      {"--bug", &bug, "NAME", "plant a bug between the core and the world", one_of(bug_names())},
      {"--json", &json, "", "print the result as one JSON object"},
  };
  const Usage usage = {"ringmaster simulate [options]",
                       "Runs the real job core with simulated hosts, ranks and clocks and with "
                       "faults at the worst\nmoments, and checks what must always hold.",
                       "ringmaster simulate --seed 17 --trace", Rest::none};
  const Read read = read_arguments(usage, flags, arguments);
  if (!read.run) return read.exit_code;
  if (options.trace && seed < 0) {
    return fail(json, {Errc::invalid, "--trace is for one run"}, "add --seed S", kExitUsage);
  }
  options.bug = bug_of(bug);
  if (seed >= 0) return run_one(static_cast<std::uint64_t>(seed), options, json);
  return run_many(1, seeds, options, json);
}

}  // namespace ringmaster::launcher
