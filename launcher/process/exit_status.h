// SPDX-License-Identifier: Apache-2.0
//
// A wait status as the core's ExitStatus (jobs/core/exit_status.h).
//
// It is read with the W macros, never by arithmetic on the raw number: the core-dump bit lives in
// there and would leak into "128 + n". Pure. Not here: waiting (the caller's loop has the pidfds).
#pragma once

#include "jobs/core/exit_status.h"

namespace ringmaster::launcher {

/// `status` as waitpid gives it, of a process that has ended.
jobs::ExitStatus exit_status_of(int status);

}  // namespace ringmaster::launcher
