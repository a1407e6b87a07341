// SPDX-License-Identifier: Apache-2.0
//
// The value of Open MPI's --host: "n1:4,n2,+n0,+e:2". Alone it is the list of hosts (the format
// openmpi-host); behind a hostfile it picks from that file's hosts.
//
// Pure.
#pragma once

#include "launcher/hostlist/formats.h"
#include "launcher/hostlist/request.h"

namespace ringmaster::launcher::hostlist {

/// The entries of such a value; `place` has file and line. Empty entries say nothing, as for Open
/// MPI.
ListResult<std::vector<Request>> parse_host_option(std::string_view value, const Place& place);

/// The hosts of `list` that the question's --host picks.
ListResult<HostList> filter_by_host_option(const HostList& list, const Question& question);

}  // namespace ringmaster::launcher::hostlist
