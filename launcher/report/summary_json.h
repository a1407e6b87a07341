// SPDX-License-Identifier: Apache-2.0
//
// A run's summary for programs: one JSON object. Fields may be added, never renamed.
//
// Pure.
#pragma once

#include <string>

#include "launcher/report/summary.h"

namespace ringmaster::launcher {

std::string summary_json(const Summary& summary);

}  // namespace ringmaster::launcher
