// SPDX-License-Identifier: Apache-2.0
//
// The environment variables that the user chose for ranks: -x NAME=VALUE, -x NAME (the value that
// it has here), and --env-file. They are set last, over everything that a launcher sets.
//
// An env file that holds a NUL is what `env -0` writes: NAME=VALUE, each ended by a NUL, and every
// other byte is the value's own. Without one it has a NAME=VALUE a line, with the value as it
// stands up to the line's end: no quotes, no dollars, no escapes; a NAME alone takes the value from
// here, and lines that are empty or begin with # say nothing.
//
// Pure.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "launcher/contracts/variables.h"
#include "launcher/hostlist/formats.h"

namespace ringmaster::launcher {

struct ChosenVariables {
  Variables variables = {};  // each name once
  std::vector<std::string> remarks = {};
};

/// `exports` are the values of -x, `files` the env files (a later one wins, -x wins over all), and
/// `inherited` our own "NAME=VALUE". Refuses a name that is none or that is ringrun's own, and two
/// -x that disagree.
Result<ChosenVariables> choose_variables(const std::vector<std::string>& exports,
                                         const std::vector<hostlist::Source>& files,
                                         const std::vector<std::string>& inherited);

/// Puts them into "NAME=VALUE" texts, in the place of those of the same name.
void set_variables(std::vector<std::string>& environment, const Variables& variables);

}  // namespace ringmaster::launcher
