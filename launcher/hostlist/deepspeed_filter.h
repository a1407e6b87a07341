// SPDX-License-Identifier: Apache-2.0
//
// DeepSpeed's --include and --exclude: "n1@n2:0,2" names all GPUs of n1 and two of n2. One of the
// two may be given. Hosts keep the order of the list, GPUs that of their numbers.
//
// Pure.
#pragma once

#include "launcher/hostlist/formats.h"

namespace ringmaster::launcher::hostlist {

/// `list` with what `args` keeps of it; `among` is what messages call the list.
ListResult<HostList> filter_gpus(const HostList& list, const Source& args, std::string_view among);

}  // namespace ringmaster::launcher::hostlist
