// SPDX-License-Identifier: Apache-2.0
//
// What of a position's steps has to wait for what: the order of the list, as far as the blocks make
// it matter. A step that reads a block waits for the last one that wrote it, one that writes it
// also for those that read it since. Everything else may go on at once.
//
// Pure.
#pragma once

#include "collectives/schedules/plan.h"

namespace ringmaster::collectives::schedules {

struct Ordered {
  Steps steps;
  /// For each step the earlier ones that it waits for, in their order.
  std::vector<std::vector<int>> after;
  /// Reads what the position itself has put in, of which nothing has been changed.
  std::vector<bool> fresh;
  /// Some step finds blocks of both kinds.
  bool mixed = false;
};

Ordered order(Steps steps, int blocks);

}  // namespace ringmaster::collectives::schedules
