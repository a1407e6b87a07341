// SPDX-License-Identifier: Apache-2.0
//
// A host list for people and for programs: what `ringmaster hostlist` prints.
//
// Pure.
#pragma once

#include <string>
#include <string_view>

#include "launcher/hostlist/host_list.h"

namespace ringmaster::launcher::hostlist {

/// A host a line with its slots, the ranks of a rank file, a sum and the notes.
std::string list_text(const HostList& list);

/// One object: {"format":..,"hosts":[{"host":..,"slots":4|"auto",..}],"notes":[..]}, and "ranks"
/// of a rank file. "max", "user", "port" and "slot_ids" only where they are known.
std::string list_json(const HostList& list);

/// "3 hosts, 8 slots", "2 hosts, 4 slots and 1 host still to be looked at".
std::string list_sum(const HostList& list);

/// {"error":{"code":..,"message":..,"hint":..,"file":..,"line":..,"entry":..}}; the last three
/// where they apply.
std::string list_error_json(const ListError& error);

}  // namespace ringmaster::launcher::hostlist
