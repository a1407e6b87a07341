// SPDX-License-Identifier: Apache-2.0
//
// One entry of Open MPI's lists: a host by its name, or by its place among hosts that are known
// already. "+n2" is the third of them (they count from 0), "+e:2" the next two that no entry has
// used yet, "+e" all of those.
//
// Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/hostlist/host_list.h"

namespace ringmaster::launcher::hostlist {

struct Request {
  enum class By { name, index, unused };
  By by = By::name;
  HostEntry host = {};     // by name: the host; slots and max where they were given
  int number = 0;          // by index: which; unused: how many, 0 for all
  bool all_slots = false;  // "n1:*": whatever the host has
  Place place = {};        // of the entry, for messages
};

/// "+n2", "+e" or "+e:2". Refuses anything else that begins with '+'.
ListResult<Request> parse_relative(std::string_view text);

/// What a name without a number takes: one slot, as after --host, or all that are left.
enum class Unsaid { one_slot, rest };

/// The hosts that `requests` take from `allocation`, in their order. No slot is taken twice: an
/// entry that wants more than its host has left is refused. `among` is what messages call the
/// allocation.
ListResult<HostList> take_hosts(const HostList& allocation, const std::vector<Request>& requests,
                                Unsaid unsaid, std::string_view among);

}  // namespace ringmaster::launcher::hostlist
