// SPDX-License-Identifier: Apache-2.0
//
// The job that an event or an action speaks of; 0: none, or several. Pure.
#pragma once

#include "jobs/core/action.h"

namespace ringmaster::jobs {

JobId job_of(const Event& event);
JobId job_of(const Action& action);

}  // namespace ringmaster::jobs
