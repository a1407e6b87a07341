// SPDX-License-Identifier: Apache-2.0
//
// A list whose format nobody named. The format that its place suggests comes first (a file is a
// hostfile of Open MPI, the value of -H its --host); only what that refuses is offered to the
// others. When they all come to the same hosts, the first of them is taken and said. When they do
// not, the text is ambiguous and refused: "t2:1,t1:1,t2:1" is two hosts to Open MPI, which adds a
// repeated name up, and three entries to Horovod.
//
// "bob@n1:2222" is refused as well, since the number is a port to ssh and slots to Open MPI.
//
// Pure.
#pragma once

#include "launcher/hostlist/formats.h"

namespace ringmaster::launcher::hostlist {

/// Reads the list as `preferred`, or as the one other format that takes it. The result's format
/// says which it was, and a note, when it was another.
ListResult<HostList> guess_host_list(const Format& preferred, const Question& question);

}  // namespace ringmaster::launcher::hostlist
