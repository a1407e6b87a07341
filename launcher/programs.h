// SPDX-License-Identifier: Apache-2.0
//
// The programs of a command line with what they need read: env files, this process's environment,
// whole paths of working directories.
#pragma once

#include <string>
#include <vector>

#include "launcher/command_line.h"
#include "launcher/plan.h"

namespace ringmaster::launcher {

struct Programs {
  std::vector<RankProgram> programs;
  std::vector<std::string> remarks;
};

/// Fails when an env file cannot be read, or holds or is given what is no variable. `inherited` is
/// our own environment.
Result<Programs> read_programs(const CommandLine& line, const std::vector<std::string>& inherited);

/// This process's environment as "NAME=VALUE".
std::vector<std::string> own_environment();

}  // namespace ringmaster::launcher
