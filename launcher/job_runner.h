// SPDX-License-Identifier: Apache-2.0
//
// ringrun's loop: waits, turns what happened into an event, steps the core, performs its actions.
// One job, one host, the journal in memory.
//
// Thread rules: one thread, from run() to its end.
#pragma once

#include "launcher/plan.h"

namespace ringmaster::launcher {

/// Runs the job to its end and returns its exit code. `environment`: what ranks inherit.
/// Call it inside run_guarded (launcher/process/guard.h).
int run_job(const Plan& plan, const std::vector<std::string>& environment);

}  // namespace ringmaster::launcher
