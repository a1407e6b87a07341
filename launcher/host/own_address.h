// SPDX-License-Identifier: Apache-2.0
//
// Which of this machine's addresses others know it by.
//
// Thread rules: asks the resolver when the endpoint has a name in it; nothing is sent.
#pragma once

#include <string>

#include "base/result.h"

namespace ringmaster::launcher {

/// The address that a connection to "tcp://10.0.0.1:7070" comes from, as a number; of IPv6 with
/// brackets, as in endpoints.
Result<std::string> address_towards(const std::string& endpoint);

}  // namespace ringmaster::launcher
