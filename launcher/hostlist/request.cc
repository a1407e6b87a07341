// SPDX-License-Identifier: Apache-2.0
#include "launcher/hostlist/request.h"

#include <fmt/format.h>

#include <unordered_map>

#include "launcher/hostlist/words.h"

namespace ringmaster::launcher::hostlist {

namespace {

constexpr std::string_view kFromZero = "+n0 is the first host";

/// Gives out the slots of an allocation, entry by entry.
class Taker {
 public:
  Taker(const HostList& allocation, Unsaid unsaid, std::string_view among)
      : hosts_(allocation.hosts), unsaid_(unsaid), among_(among), used_(hosts_.size()) {
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
      by_name_.emplace(hosts_[i].host, i);
      left_.push_back(hosts_[i].slots);
    }
  }

  ListResult<std::vector<HostEntry>> take(const Request& request) {
    switch (request.by) {
      case Request::By::name:
        return take_named(request);
      case Request::By::index:
        return take_indexed(request);
      case Request::By::unused:
        return take_unused(request);
    }
    CHECK(false);
  }

 private:
  ListResult<std::vector<HostEntry>> take_named(const Request& request) {
    const auto at = by_name_.find(request.host.host);
    if (at == by_name_.end()) {
      return refusal(fmt::format("{} is not among the hosts of {}", in_quotes(request.host.host),
                                 on_one_line(among_)),
                     "name one of those, or +n0 for the first")
          .at(request.place);
    }
    const bool one = unsaid_ == Unsaid::one_slot && !request.all_slots && !request.host.slots;
    return one_host(at->second, request, one ? std::optional(1) : request.host.slots);
  }

  ListResult<std::vector<HostEntry>> take_indexed(const Request& request) {
    if (static_cast<std::size_t>(request.number) >= hosts_.size()) {
      return refusal(fmt::format("{} has {} hosts", on_one_line(among_), hosts_.size()),
                     fmt::format("{}, and +n{} the last", kFromZero, hosts_.size() - 1))
          .at(request.place);
    }
    return one_host(static_cast<std::size_t>(request.number), request, request.host.slots);
  }

  ListResult<std::vector<HostEntry>> take_unused(const Request& request) {
    std::vector<HostEntry> taken;
    const auto wanted = static_cast<std::size_t>(request.number);
    for (; next_unused_ < hosts_.size(); ++next_unused_) {
      if (wanted != 0 && taken.size() == wanted) break;
      if (used_[next_unused_] || left_[next_unused_] == 0) continue;
      auto one = one_host(next_unused_, request, request.host.slots);
      if (!one) return one.error();
      taken.push_back(std::move(one->front()));
    }
    if (taken.empty() || taken.size() < wanted) {
      return refusal(fmt::format("{} of {} are unused", taken.size(), hosts_.size()),
                     "ask for as many, or for +e alone: all that are unused")
          .at(request.place);
    }
    return taken;
  }

  /// `slots` of the host, or all that are left when no number is given. Of a host whose number is
  /// not known yet, any number may be taken, but the rest only once.
  ListResult<std::vector<HostEntry>> one_host(std::size_t index, const Request& request,
                                              std::optional<int> slots) {
    std::optional<int>& left = left_[index];
    if (left && slots.value_or(1) > *left) return too_few(index, request, slots);
    HostEntry entry = hosts_[index];
    entry.slots = slots ? slots : left;
    if (request.host.max) entry.max = request.host.max;
    if (!request.host.user.empty()) entry.user = request.host.user;
    if (request.host.port) entry.port = request.host.port;
    if (left) left = *left - *entry.slots;
    if (!entry.slots) left = 0;
    used_[index] = true;
    return std::vector<HostEntry>{std::move(entry)};
  }

  ListError too_few(std::size_t index, const Request& request, std::optional<int> slots) const {
    const HostEntry& host = hosts_[index];
    const std::string left = host.slots
                                 ? fmt::format("{} slots left of {}", *left_[index], *host.slots)
                                 : std::string("no slot left");
    return refusal(fmt::format("{} has {}, and {} are asked for", in_quotes(host.host), left,
                               slots ? std::to_string(*slots) : "some"),
                   "ask for fewer, or give the host more where it is listed")
        .at(request.place);
  }

  const std::vector<HostEntry>& hosts_;
  Unsaid unsaid_;
  std::string_view among_;
  std::vector<bool> used_;
  std::vector<std::optional<int>> left_;
  std::unordered_map<std::string_view, std::size_t> by_name_;
  std::size_t next_unused_ = 0;
};

}  // namespace

ListResult<Request> parse_relative(std::string_view text) {
  const ListError unknown =
      refusal("no place among hosts", fmt::format("{}, +e:2 are two unused ones", kFromZero));
  if (text.size() < 2) return unknown;
  const std::string_view rest = text.substr(2);
  Request request;
  if (text[1] == 'n' || text[1] == 'N') {
    const std::size_t colon = rest.find(':');
    const auto number =
        parse_number(rest.substr(0, colon), "a host's place", 0, static_cast<int>(kHostsMax));
    if (!number) return number.error();
    request.by = Request::By::index;
    request.number = *number;
    if (colon == std::string_view::npos) return request;
    const auto slots = parse_slots(rest.substr(colon + 1));
    if (!slots) return slots.error();
    request.host.slots = *slots;
    return request;
  }
  if (text[1] != 'e' && text[1] != 'E') return unknown;
  request.by = Request::By::unused;
  if (rest.empty()) return request;
  if (rest.front() != ':') return unknown;
  const auto number =
      parse_number(rest.substr(1), "a number of hosts", 1, static_cast<int>(kHostsMax));
  if (!number) return number.error();
  request.number = *number;
  return request;
}

ListResult<HostList> take_hosts(const HostList& allocation, const std::vector<Request>& requests,
                                Unsaid unsaid, std::string_view among) {
  Taker taker(allocation, unsaid, among);
  HostTable table(among);
  for (const Request& request : requests) {
    auto taken = taker.take(request);
    if (!taken) return taken.error();
    for (HostEntry& entry : *taken) {
      // Names after --host add up where they stand first; a layout keeps its order.
      const bool adds = unsaid == Unsaid::one_slot;
      if (auto bad = adds ? table.add(std::move(entry), request.place)
                          : table.append(std::move(entry), request.place)) {
        return *bad;
      }
    }
  }
  return table.finish();
}

}  // namespace ringmaster::launcher::hostlist
