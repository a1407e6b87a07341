// SPDX-License-Identifier: Apache-2.0
//
// The command line of ringrun: one struct, one line a flag.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/settings.h"

namespace ringmaster::launcher {

struct RunSettings {
  std::int64_t ranks = 0;  // 0: not given
  std::string elastic;
  std::int64_t restarts = -1;  // -1: not given
  std::vector<std::string> drills;
  double timeout_seconds = 0;
  double grace_seconds = 5;
  std::string bind = "none";
  bool oversubscribe = false;
  bool tag_output = false;
  bool dry_run = false;
  bool json = false;

  Flags flags();
};

/// Pure: whether `--json` stands before the program, whatever is wrong with the rest.
bool asks_for_json(const Flags& flags, const std::vector<std::string>& arguments);

/// The page that `ringrun --help` prints.
std::string run_help(RunSettings& settings);

}  // namespace ringmaster::launcher
