// SPDX-License-Identifier: Apache-2.0
//
// The last words on a job that did not end well: the root cause in one line, what its rank wrote
// last, then who went down with it.
//
// Pure.
#pragma once

#include <string>
#include <vector>

#include "jobs/core/action.h"
#include "launcher/ending/casualties.h"

namespace ringmaster::launcher {

/// What is known of the rank that was the root cause, beside how it ended.
struct LastWords {
  std::vector<std::string> lines = {};  // of its standard error
  bool repeat =
      false;  // they are worth a second look: others wrote in between, or they were not shown
  std::string file = {};  // that has all of it; "": none
};

/// How the job ended, for its first line: "failed: rank 2: exited with code 1: ValueError: no".
std::string headline(const jobs::EndJob& end, const Casualties& casualties, const LastWords& words);

/// What follows it, indented.
std::vector<std::string> details(const Casualties& casualties, const LastWords& words,
                                 Duration grace);

}  // namespace ringmaster::launcher
