// SPDX-License-Identifier: Apache-2.0
//
// ringrun's command line in whatever words it was typed: its own, or those of the launcher that it
// was called as (a link named torchrun, mpirun or mpiexec) or was told to understand (`--as`).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launcher/command_line.h"
#include "launcher/dialects/rules.h"
#include "launcher/plan.h"

namespace ringmaster::launcher {

enum class Dialect { ringrun, torchrun, mpirun };

struct LaunchLine {
  CommandLine line = {};
  LaunchRules rules = {};
  std::vector<std::string> remarks = {};
  std::string help = {};  // asked for: the page to print
};

struct ChosenDialect {
  Dialect dialect = Dialect::ringrun;
  std::vector<std::string> arguments = {};  // without --as
};

/// Pure. `called`: the path by which we were started. `--as` stands first, and wins over the name.
Result<ChosenDialect> choose_dialect(std::string_view called,
                                     const std::vector<std::string>& arguments);

/// Reads the environment and this host's facts where a dialect depends on them. `arguments` without
/// our own name.
Result<LaunchLine> read_launch_line(std::string_view called,
                                    const std::vector<std::string>& arguments);

/// Pure: the numbers of ranks that the rules make of those given, where hosts are listed or not.
/// `cores`: of this host. Errc::exhausted above them.
Result<void> fit_programs(const LaunchRules& rules, bool listed, int cores,
                          std::vector<RankProgram>* programs);

/// Pure: what the rules change in a plan that is made.
void apply_rules(const LaunchLine& spoken, Plan* plan);

}  // namespace ringmaster::launcher
