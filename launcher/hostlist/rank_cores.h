// SPDX-License-Identifier: Apache-2.0
//
// The cores of one rank in a rank file: "0,1", "10-12", or "1:0-1", the first two cores of the
// second package. They are the host's own numbers, which are not known here: only the form is
// checked.
//
// Pure.
#pragma once

#include <string_view>

#include "launcher/hostlist/list_error.h"

namespace ringmaster::launcher::hostlist {

/// Refusals have no place yet.
Refusal check_rank_cores(std::string_view text);

}  // namespace ringmaster::launcher::hostlist
