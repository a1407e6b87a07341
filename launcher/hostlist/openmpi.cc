// SPDX-License-Identifier: Apache-2.0
//
// Hostfiles of Open MPI and PRRTE. A name alone is as many slots as the host has cores; the same
// name on several lines is one slot a line; two numbers for one host contradict each other. A line
// "^n1" takes n1 out again.
#include <fmt/format.h>

#include <array>
#include <unordered_set>

#include "launcher/hostlist/openmpi_lines.h"
#include "launcher/hostlist/openmpi_option.h"
#include "launcher/hostlist/readers.h"

namespace ringmaster::launcher::hostlist {

namespace {

/// One more line for a host that an earlier one names: a slot more. A number there contradicts
/// whatever the earlier one said.
Refusal repeat(HostEntry& known, const Request& request) {
  if (request.host.slots || request.host.max) {
    return refusal(fmt::format("line {} names {} already", known.line, in_quotes(known.host)),
                   "name the host once with slots=, or on one line for each slot without")
        .at(request.place);
  }
  if (known.user != request.host.user || known.port != request.host.port) {
    return refusal(fmt::format("line {} names {} with another user or port", known.line,
                               in_quotes(known.host)))
        .at(request.place);
  }
  known.slots = known.slots.value_or(1) + 1;
  if (*known.slots > kSlotsMax || (known.max && *known.slots > *known.max)) {
    return refusal(fmt::format("more than {} slots for {}", known.max.value_or(kSlotsMax),
                               in_quotes(known.host)))
        .at(request.place);
  }
  return {};
}

/// The hosts that the file itself names.
ListResult<HostList> own_hosts(const OpenmpiLines& lines, std::string_view file) {
  HostTable table(file);
  for (const Request& request : lines.requests) {
    if (request.by != Request::By::name) {
      return refusal("a place among hosts, and none are known here",
                     "name the host; places are for a second file or --host")
          .at(request.place);
    }
    if (lines.excluded.contains(request.host.host)) continue;
    HostEntry* known = table.find(request.host.host);
    auto bad =
        known != nullptr ? repeat(*known, request) : table.append(request.host, request.place);
    if (bad) return *bad;
  }
  return table.finish();
}

/// The hosts of `allocation` in the order and number that a second file lays out. A file that only
/// excludes keeps the others.
ListResult<HostList> laid_out(const HostList& allocation, const OpenmpiLines& lines,
                              const Question& question) {
  std::vector<Request> requests = lines.requests;
  if (requests.empty()) requests.push_back({.by = Request::By::unused});
  auto list = take_hosts(allocation, requests, Unsaid::rest, question.list.name);
  if (!list) return list;
  std::erase_if(list->hosts,
                [&](const HostEntry& entry) { return lines.excluded.contains(entry.host); });
  if (list->hosts.empty()) {
    return refusal("no host is left", "exclude fewer").at({.file = question.second->name});
  }
  return list;
}

}  // namespace

ListResult<HostList> read_openmpi(const Question& question) {
  if (question.second && question.args) {
    return refusal("a second file lays the hosts out already", "leave one of the two out")
        .at({.file = question.args->name});
  }
  const auto text = without_comments(question.list.text, question.list.name);
  if (!text) return text.error();
  const auto lines = parse_openmpi_lines(*text, question.list.name);
  if (!lines) return lines.error();
  auto list = own_hosts(*lines, question.list.name);
  if (list && question.second) {
    const auto layout = without_comments(question.second->text, question.second->name);
    if (!layout) return layout.error();
    const auto second = parse_openmpi_lines(*layout, question.second->name);
    if (!second) return second.error();
    if (second->requests.empty() && second->excluded.empty()) {
      return refusal("it names no host", "leave it out to take all")
          .at({.file = question.second->name});
    }
    list = laid_out(*list, *second, question);
  }
  if (list && question.args) list = filter_by_host_option(*list, question);
  return list;
}

}  // namespace ringmaster::launcher::hostlist
