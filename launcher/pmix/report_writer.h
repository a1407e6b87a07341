// SPDX-License-Identifier: Apache-2.0
//
// Tells the launcher. Reports are written whole, in one call each, from libpmix's thread too.
#pragma once

#include <string>

#include "launcher/contracts/pmix_reports.h"

namespace ringmaster::launcher::pmix {

/// Reports go to this socket from now on. Call it once, before the server is there.
void open_reports(int fd);

/// A launcher that is gone is told nothing: this process is about to end as well.
void report(Report kind, const std::string& text);

}  // namespace ringmaster::launcher::pmix
