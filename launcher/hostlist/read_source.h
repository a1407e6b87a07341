// SPDX-License-Identifier: Apache-2.0
//
// Reads the text of a host list: the only place here that touches files.
#pragma once

#include <string>

#include "base/result.h"
#include "launcher/hostlist/formats.h"

namespace ringmaster::launcher::hostlist {

/// The whole file, or standard input for "-". Refuses folders, what cannot be read, and more than
/// kTextMax bytes. A message says why, without the path.
Result<Source> read_source(const std::string& path);

}  // namespace ringmaster::launcher::hostlist
