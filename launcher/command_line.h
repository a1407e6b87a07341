// SPDX-License-Identifier: Apache-2.0
//
// ringrun's command line taken apart: options, a program, and behind each ':' further options and
// a program of their own, as mpirun has it.
//
// A ':' separates only where the program before it was not introduced by "--": that is how a
// program gets the word ':' as an argument.
//
// Pure.
#pragma once

#include <string>
#include <vector>

#include "launcher/settings.h"

namespace ringmaster::launcher {

struct ProgramLine {
  ProgramSettings settings;
  std::vector<std::string> command;
};

struct CommandLine {
  bool help = false, print_config = false;  // asked for; then there may be no program
  RunSettings settings = {};
  std::vector<ProgramLine> programs = {};
};

/// `arguments` without our own name. Fails for what parse_flags refuses, where a program is missing
/// or, of several, lacks its number of ranks, and for an option behind a ':' that stands for the
/// whole job.
Result<CommandLine> parse_command_line(const std::vector<std::string>& arguments);

}  // namespace ringmaster::launcher
