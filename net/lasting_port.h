// SPDX-License-Identifier: Apache-2.0
//
// Ports for a server whose address must still be free when it comes back: below the range out of
// which the kernel serves all who ask for any port, connections above all. A port of that range is
// soon somebody else's when its owner has died.
#pragma once

#include <string_view>
#include <vector>

#include "base/random.h"

namespace ringmaster::net {

/// Pure: some to try, in a random order, for a range like "32768\t60999". Empty where it leaves too
/// little room below it.
std::vector<int> lasting_ports(std::string_view range, Random random);

/// For this machine's range.
std::vector<int> lasting_ports_here();

}  // namespace ringmaster::net
