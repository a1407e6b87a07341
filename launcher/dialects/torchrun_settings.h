// SPDX-License-Identifier: Apache-2.0
//
// torchrun's options: one struct, one line an option.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/settings.h"
#include "launcher/dialects/refused.h"

namespace ringmaster::launcher {

struct TorchrunSettings {
  std::string nodes = "1";
  std::string ranks = "1";
  std::int64_t group_rank = 0;
  bool standalone = false;
  std::string master_address = {};
  std::int64_t master_port = -1;  // -1: not given
  std::string meeting = {};
  std::string meeting_endpoint = {};
  std::string meeting_conf = {};
  std::string run = {};
  std::int64_t restarts = 0;
  std::string role = "default";
  bool module = false;
  bool no_python = false;
  bool run_path = false;
  std::string log_folder = {};
  std::string redirects = "0";
  std::string tee = "0";
  std::string shown = {};

  Flags flags();
};

const std::vector<RefusedOption>& torchrun_refusals();

/// The page of `torchrun --help`.
std::string torchrun_help();

}  // namespace ringmaster::launcher
