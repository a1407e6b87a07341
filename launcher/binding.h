// SPDX-License-Identifier: Apache-2.0
//
// Which processors each rank of a host may run on. Ranks that share processors keep apart that way:
// a scheduler that is free to move them lets three share one while another has a single one, and
// two that wait for each other end up on the same.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace ringmaster::launcher {

/// One that this process may use, and what it is a part of (numbers that are equal where it is the
/// same).
struct Processor {
  int number = 0;  // the kernel's
  int core = 0;
  int node = 0;  // of memory
};

enum class Bind { none, core, numa };

/// "core", "numa" or "none".
Bind bind_of(const std::string& name);

/// Reads them with hwloc; empty when that cannot see this machine.
std::vector<Processor> read_processors();

/// Pure: the processors of each rank in ascending order, empty for not bound. Ranks take cores (all
/// processors of one) or memory nodes in turns, the first again when all are taken: ranks that
/// outnumber cores share them evenly.
std::vector<std::vector<int>> bind_ranks(Bind bind, int ranks,
                                         const std::vector<Processor>& processors);

/// "0-3,8": for people.
std::string processors_text(const std::vector<int>& processors);

}  // namespace ringmaster::launcher
