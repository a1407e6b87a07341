// SPDX-License-Identifier: Apache-2.0
#include "launcher/hostlist/host_list.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringmaster::launcher::hostlist {

long long HostList::slots() const {
  long long sum = 0;
  for (const HostEntry& entry : hosts) sum += entry.slots.value_or(0);
  return sum;
}

std::size_t HostList::unknown() const {
  const auto is_unknown = [](const HostEntry& entry) { return !entry.slots.has_value(); };
  return static_cast<std::size_t>(std::ranges::count_if(hosts, is_unknown));
}

Refusal HostTable::append(HostEntry entry, const Place& place) {
  if (hosts_.size() >= kHostsMax) {
    return refusal(fmt::format("more than {} hosts", kHostsMax)).at(place);
  }
  entry.line = place.line;
  places_.emplace(entry.host, hosts_.size());
  hosts_.push_back(std::move(entry));
  return {};
}

Refusal HostTable::add(HostEntry entry, const Place& place) {
  HostEntry* known = find(entry.host);
  if (known == nullptr) return append(std::move(entry), place);
  if (known->user != entry.user || known->port != entry.port) {
    return refusal(fmt::format("line {} names {} with another user or port", known->line,
                               in_quotes(entry.host)))
        .at(place);
  }
  if (!known->slots || !entry.slots) {
    return refusal(fmt::format("line {} names {} too, and one of the two leaves the number of "
                               "slots open",
                               known->line, in_quotes(entry.host)),
                   "give both a number, or name the host once")
        .at(place);
  }
  if (*known->slots > kSlotsMax - *entry.slots) {
    return refusal(fmt::format("more than {} slots for {}", kSlotsMax, in_quotes(entry.host)))
        .at(place);
  }
  known->slots = *known->slots + *entry.slots;
  return {};
}

HostEntry* HostTable::find(std::string_view host) {
  const auto at = places_.find(host);
  return at == places_.end() ? nullptr : &hosts_[at->second];
}

ListResult<HostList> HostTable::finish() {
  if (hosts_.empty()) {
    return refusal("it names no host", "a list that names none never means this machine")
        .at({.file = file_});
  }
  const auto has_none = [](const HostEntry& entry) { return entry.slots == 0; };
  if (std::ranges::all_of(hosts_, has_none)) {
    const HostEntry& first = hosts_.front();
    return refusal("no slot to run on", "give a host at least one slot")
        .at({.file = file_, .line = first.line, .entry = first.host});
  }
  return HostList{.hosts = std::move(hosts_)};
}

}  // namespace ringmaster::launcher::hostlist
