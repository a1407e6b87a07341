// SPDX-License-Identifier: Apache-2.0
//
// `ringmaster topo --choose K`: which GPUs of a machine a job should get, and why these.
#pragma once

#include <string>

#include "base/result.h"
#include "topology/topology.h"

namespace ringmaster::launcher {

/// The GPUs in the order of their best ring, in a sentence or as JSON. `taken`: "0,3", those that
/// others have, by number.
Result<std::string> choice_text(const topology::Topology& machine, std::int64_t count,
                                const std::string& taken, bool json);

}  // namespace ringmaster::launcher
