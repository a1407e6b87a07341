// SPDX-License-Identifier: Apache-2.0
//
// mpirun's options: one struct for a program, one for the job, one line an option.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/settings.h"
#include "launcher/dialects/refused.h"

namespace ringmaster::launcher {

/// Of one program; a ':' begins the next.
struct MpirunProgram {
  std::int64_t ranks = 0;  // 0: not given
  std::vector<std::string> directories = {};
  std::vector<std::string> exports = {};
  std::vector<std::string> parameters = {};  // NAME=VALUE, once pairs are joined

  Flags flags();
};

/// Of the whole job.
struct MpirunSettings {
  MpirunProgram program = {};  // the first
  std::vector<std::string> hosts = {};
  std::vector<std::string> host_files = {};
  std::vector<std::string> rank_files = {};
  std::string map = {};
  std::string rank_by = {};
  std::string bind = {};
  std::int64_t cores = 0;
  std::int64_t per_host = 0;
  bool one_per_host = false;
  bool oversubscribe = false;
  bool no_oversubscribe = false;
  bool report_bindings = false;
  bool tag_output = false;
  bool time_output = false;
  std::string files = {};
  bool merged = false;
  std::string input = {};
  std::int64_t timeout_seconds = 0;
  bool allow_root = false;
  bool quiet = false;
  bool verbose = false;
  bool display_map = false;
  bool no_launch = false;

  Flags flags();
};

const std::vector<RefusedOption>& mpirun_refusals();

/// Options that are followed by a name and a value, which are to be joined: "--mca a b" ->
/// "--mca a=b". They stand before the program; what is behind it is its own.
std::vector<std::string> join_pairs(const Flags& flags, const std::vector<std::string>& words);

/// The page of `mpirun --help`.
std::string mpirun_help();

}  // namespace ringmaster::launcher
