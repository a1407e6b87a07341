// SPDX-License-Identifier: Apache-2.0
#include "launcher/mapping/shares.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_map>

namespace ringmaster::launcher::mapping {

namespace {

using Shares = std::vector<int>;  // ranks of each entry
using Entries = std::vector<std::size_t>;

/// The first entry of each host, in the list's order.
Entries first_entries(const hostlist::HostList& list) {
  std::unordered_map<std::string_view, std::size_t> seen;
  Entries firsts;
  for (std::size_t i = 0; i < list.hosts.size(); ++i) {
    if (seen.emplace(list.hosts[i].host, i).second) firsts.push_back(i);
  }
  return firsts;
}

/// How many ranks the host of each first entry may still get, beyond its slots. None on a host that
/// is listed without slots.
std::vector<long long> room_above_slots(const hostlist::HostList& list, const Entries& firsts,
                                        const Shares& slots) {
  std::unordered_map<std::string_view, std::size_t> index;
  std::vector<long long> taken(firsts.size()), most(firsts.size(), kRanksMax);
  for (std::size_t i = 0; i < firsts.size(); ++i) index[list.hosts[firsts[i]].host] = i;
  for (std::size_t i = 0; i < list.hosts.size(); ++i) {
    const std::size_t host = index[list.hosts[i].host];
    taken[host] += slots[i];
    if (list.hosts[i].max) most[host] = std::min<long long>(most[host], *list.hosts[i].max);
  }
  for (std::size_t i = 0; i < firsts.size(); ++i) {
    most[i] = taken[i] == 0 ? 0 : std::max(0LL, most[i] - taken[i]);
  }
  return most;
}

/// Gives `surplus` ranks, one to each host in turn, as far as hosts have room. What is left over.
long long share_surplus(const hostlist::HostList& list, Shares& shares, long long surplus) {
  const Entries firsts = first_entries(list);
  std::vector<long long> room = room_above_slots(list, firsts, shares);
  std::vector<std::size_t> turn(firsts.size());
  std::iota(turn.begin(), turn.end(), std::size_t{0});
  while (surplus > 0) {
    std::erase_if(turn, [&](std::size_t host) { return room[host] == 0; });
    if (turn.empty()) break;
    for (const std::size_t host : turn) {
      if (surplus == 0) break;
      --room[host];
      ++shares[firsts[host]];
      --surplus;
    }
  }
  return surplus;
}

/// Each entry's ranks are neighbours.
Entries in_order_of_slots(const Shares& shares, int ranks) {
  Entries entries;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const auto left = static_cast<std::size_t>(ranks) - entries.size();
    entries.insert(entries.end(), std::min(left, static_cast<std::size_t>(shares[i])), i);
  }
  return entries;
}

/// One to each entry in turn; an entry whose host had its turn waits for the next.
Entries in_order_of_hosts(const hostlist::HostList& list, Shares shares, int ranks) {
  std::unordered_map<std::string_view, std::vector<std::size_t>> of_host;
  for (std::size_t i = shares.size(); i-- > 0;) {
    if (shares[i] > 0) of_host[list.hosts[i].host].push_back(i);
  }
  Entries turn = first_entries(list), entries;
  while (entries.size() < static_cast<std::size_t>(ranks)) {
    Entries next;
    for (const std::size_t first : turn) {
      auto& left = of_host[list.hosts[first].host];
      if (left.empty() || entries.size() == static_cast<std::size_t>(ranks)) continue;
      entries.push_back(left.back());
      if (--shares[left.back()] == 0) left.pop_back();
      if (!left.empty()) next.push_back(first);
    }
    CHECK(!next.empty() || entries.size() == static_cast<std::size_t>(ranks));
    turn = std::move(next);
  }
  return entries;
}

std::string hosts_have(const hostlist::HostList& list) {
  const Entries firsts = first_entries(list);
  return firsts.size() == 1 ? list.hosts.front().host + " has"
                            : fmt::format("{} hosts have", firsts.size());
}

Error too_few_slots(const hostlist::HostList& list, long long slots, const MapOptions& options,
                    long long missing) {
  if (!options.oversubscribe) {
    return {Errc::exhausted,
            fmt::format("place {} ranks: {} {} slot{} (ask for at most {}, name more hosts, or "
                        "--oversubscribe)",
                        options.ranks, hosts_have(list), slots, slots == 1 ? "" : "s", slots)};
  }
  return {Errc::exhausted,
          fmt::format("place {} ranks: the hosts' limits leave room for {} (raise max_slots, or "
                      "name more hosts)",
                      options.ranks, options.ranks - missing)};
}

}  // namespace

Result<std::vector<std::size_t>> entries_of_ranks(const hostlist::HostList& list,
                                                  const std::vector<int>& slots,
                                                  const MapOptions& options) {
  CHECK_EQ(slots.size(), list.hosts.size());
  CHECK_LT(0, options.ranks);
  Shares shares = slots;
  const long long all = std::accumulate(slots.begin(), slots.end(), 0LL);
  long long missing = std::max(0LL, options.ranks - all);
  if (missing > 0 && options.oversubscribe) missing = share_surplus(list, shares, missing);
  if (missing > 0) return too_few_slots(list, all, options, missing);
  switch (options.policy) {
    case Policy::slot:
    case Policy::numa:
      return in_order_of_slots(shares, options.ranks);
    case Policy::node:
      return in_order_of_hosts(list, std::move(shares), options.ranks);
  }
  CHECK(false);
}

}  // namespace ringmaster::launcher::mapping
