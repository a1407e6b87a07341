// SPDX-License-Identifier: Apache-2.0
#include "launcher/mapping/room.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace ringmaster::launcher::mapping {

namespace {

/// What is left of a host for the entry that names no number.
Result<int> rest_of(const std::string& host, const Rooms& rooms, int cores_per_rank,
                    long long given) {
  const HostRoom* room = find_room(rooms, host);
  if (!is_known(room)) {
    return Error{Errc::not_found,
                 fmt::format("place ranks on {}: how many slots it has is not known (look at the "
                             "host, or write its slots into the list)",
                             host)};
  }
  const long long all = slots_of_room(*room, cores_per_rank);
  return static_cast<int>(std::clamp<long long>(all - given, 0, hostlist::kSlotsMax));
}

}  // namespace

const HostRoom* find_room(const Rooms& rooms, const std::string& host) {
  const auto at = rooms.find(host);
  return at == rooms.end() ? nullptr : &at->second;
}

bool is_known(const HostRoom* room) {
  return room != nullptr && (room->gpus > 0 || !room->cores.empty());
}

int slots_of_room(const HostRoom& room, int cores_per_rank) {
  CHECK(is_known(&room));
  if (room.gpus > 0) return room.gpus;
  const auto cores = static_cast<int>(room.cores.size());
  const int left = room.quota > 0 ? std::min(room.quota, cores) : cores;
  return left / std::max(1, cores_per_rank);
}

Result<std::vector<int>> slots_of_entries(const hostlist::HostList& list, const Rooms& rooms,
                                          int cores_per_rank) {
  std::unordered_map<std::string_view, long long> given;
  for (const hostlist::HostEntry& entry : list.hosts) given[entry.host] += entry.slots.value_or(0);
  std::vector<int> slots;
  for (const hostlist::HostEntry& entry : list.hosts) {
    if (entry.slots) {
      slots.push_back(*entry.slots);
      continue;
    }
    const auto rest = rest_of(entry.host, rooms, cores_per_rank, given[entry.host]);
    if (!rest) return rest.error();
    given[entry.host] += *rest;
    slots.push_back(*rest);
  }
  return slots;
}

}  // namespace ringmaster::launcher::mapping
