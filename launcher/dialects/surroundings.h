// SPDX-License-Identifier: Apache-2.0
//
// What a translation depends on beside the words: the environment and this host, as arguments, so
// that translations stay pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/this_host.h"

namespace ringmaster::launcher {

struct Surroundings {
  std::vector<std::string> environment = {};  // "NAME=VALUE"
  int cpus = 1;                               // that we may use
  int gpus = 0;                               // that are visible
  OwnNames names = {};
  std::string random = {};  // letters and digits that no other job has
};

/// The variable's value; nothing where it is not set.
std::optional<std::string> variable_in(const Surroundings& around, std::string_view name);

/// Of this process.
Surroundings read_surroundings();

}  // namespace ringmaster::launcher
