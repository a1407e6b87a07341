// SPDX-License-Identifier: Apache-2.0
//
// A run's report as one HTML page that stands alone: no script, no other file, nothing fetched. It
// can be mailed, printed, or kept beside the run's log, and reads the same in ten years.
//
// Pure.
#pragma once

#include <string>

#include "launcher/report/summary.h"

namespace ringmaster::launcher {

std::string make_page(const Summary& summary);

}  // namespace ringmaster::launcher
