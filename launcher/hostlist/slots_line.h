// SPDX-License-Identifier: Apache-2.0
//
// "n1 slots=4": the line that DeepSpeed and Horovod read, where nothing may be left out.
//
// Pure.
#pragma once

#include <string_view>

#include "launcher/hostlist/host_list.h"

namespace ringmaster::launcher::hostlist {

/// The host and its slots. Refusals have no place yet.
ListResult<HostEntry> parse_slots_line(std::string_view line);

}  // namespace ringmaster::launcher::hostlist
