// SPDX-License-Identifier: Apache-2.0
//
// The command line of ringrun: one struct, one line a flag.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/settings.h"

namespace ringmaster::launcher {

/// Ranks of one job on one command line.
inline constexpr int kRanksMost = 4096;

/// Of one program; a command line may start several, with ':' between them.
struct ProgramSettings {
  std::int64_t ranks = 0;                     // 0: not given
  std::vector<std::string> directories = {};  // at most one
  std::vector<std::string> exports = {};
  std::vector<std::string> env_files = {};

  Flags flags();
};

struct RunSettings {
  ProgramSettings program = {};  // the first one
  std::vector<std::string> hosts = {};
  std::vector<std::string> host_files = {};
  std::string host_file_format = "auto";
  std::vector<std::string> rank_files = {};
  std::string map = "slot";
  std::int64_t cores_per_rank = 0;  // 0: not given
  std::string bind = "auto";
  bool oversubscribe = false;
  bool report_bindings = false;
  std::string elastic = {};
  std::int64_t restarts = -1;  // -1: not given
  std::vector<std::string> drills = {};
  double timeout_seconds = 0;
  double no_progress_seconds = 0;
  double grace_seconds = -1;  // -1: not given
  std::string input = "0";
  bool tag_output = false;
  bool time_output = false;
  std::string output_folder = {};
  std::string output_ranks = {};
  bool dry_run = false;
  bool json = false;

  Flags flags();
};

/// Pure: whether `--json` stands before the program, whatever is wrong with the rest.
bool asks_for_json(const Flags& flags, const std::vector<std::string>& arguments);

/// Whether terminals get colours: not where NO_COLOR is set.
bool wants_colours();

/// The page that `ringrun --help` prints.
std::string run_help(RunSettings& settings);

}  // namespace ringmaster::launcher
