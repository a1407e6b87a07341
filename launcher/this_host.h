// SPDX-License-Identifier: Apache-2.0
//
// Whether a name in a host list means this host: its own name with or without the domain,
// localhost, or one of its addresses. No resolver is asked: it may take half a minute to say no,
// and hosts that share a name in it are not for a launcher to sort out.
//
// Thread rules: none; read_own_names asks the kernel.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringmaster::launcher {

struct OwnNames {
  std::string host = {};                    // as the kernel has it
  std::string user = {};                    // who we are; "": unknown
  std::vector<std::string> addresses = {};  // as texts, without a zone
};

/// Pure. Names are compared without case; where one of two has no domain, the first labels count.
bool is_this_host(std::string_view name, const OwnNames& own);

OwnNames read_own_names();

}  // namespace ringmaster::launcher
