// SPDX-License-Identifier: Apache-2.0
//
// Shows a job until it ends: its ranks' output on standard output, what happens to it on standard
// error. ctrl-C only ends the showing.
//
// Thread rules: blocks; installs Interrupts (process/program.h) while it runs.
#pragma once

#include "launcher/control/log_reader.h"
#include "launcher/control/replay.h"

namespace ringmaster::launcher {

/// Returns the job's exit code when it has ended; 0 when the user had enough.
Result<int> follow(const StateHome& home, Replay& replay, const jobs::JobEntry& job);

/// What there is.
void print_all(LogReader& logs);

/// A line about an ended job, when some of its output is still with its host.
void tell_of_missing(const LogReader& logs);

}  // namespace ringmaster::launcher
