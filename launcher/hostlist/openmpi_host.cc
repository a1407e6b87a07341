// SPDX-License-Identifier: Apache-2.0
#include "launcher/hostlist/openmpi_option.h"
#include "launcher/hostlist/option_words.h"
#include "launcher/hostlist/readers.h"
#include "launcher/hostlist/text.h"
#include "launcher/hostlist/words.h"

namespace ringmaster::launcher::hostlist {

namespace {

ListResult<Request> parse_host_entry(std::string_view entry) {
  if (entry.starts_with('+')) return parse_relative(entry);
  auto host = parse_suffixed(entry);
  if (!host) return host.error();
  Request request;
  request.host.host = std::move(host->account.host);
  request.host.user = std::move(host->account.user);
  if (!host->has_suffix) return request;
  request.all_slots = host->suffix == "*" || host->suffix == "auto";
  if (request.all_slots) return request;
  const auto slots = parse_slots(host->suffix);
  if (!slots) return slots.error();
  request.host.slots = *slots;
  return request;
}

}  // namespace

ListResult<std::vector<Request>> parse_host_option(std::string_view value, const Place& place) {
  std::vector<Request> requests;
  for (const std::string_view field : fields(value, ',')) {
    const std::string_view entry = trimmed(field);
    if (entry.empty()) continue;
    const Place here{place.file, place.line, entry};
    auto request = parse_host_entry(entry);
    if (!request) return request.error().at(here);
    request->place = here;
    if (requests.size() >= kHostsMax) return refusal("too many hosts").at(here);
    requests.push_back(std::move(*request));
  }
  return requests;
}

ListResult<HostList> filter_by_host_option(const HostList& list, const Question& question) {
  CHECK(question.args.has_value());
  const auto options = parse_option_words(*question.args, {{"--host", "-host", "-H"}});
  if (!options) return options.error();
  std::vector<Request> all;
  for (const OptionWord& option : *options) {
    auto requests = parse_host_option(option.value, {.file = question.args->name, .line = 1});
    if (!requests) return requests.error();
    all.insert(all.end(), requests->begin(), requests->end());
  }
  if (all.empty()) return refusal("it names no host").at({.file = question.args->name});
  return take_hosts(list, all, Unsaid::one_slot, question.list.name);
}

ListResult<HostList> read_openmpi_host(const Question& question) {
  const auto line = only_line(question.list.text, question.list.name);
  if (!line) return line.error();
  auto requests = parse_host_option(line->text, {.file = question.list.name, .line = line->number});
  if (!requests) return requests.error();
  HostTable table(question.list.name);
  for (Request& request : *requests) {
    if (request.by != Request::By::name) {
      return refusal("a place among hosts, and none are known here",
                     "name the host; places need a hostfile or an allocation")
          .at(request.place);
    }
    if (!request.host.slots && !request.all_slots) request.host.slots = 1;
    if (auto bad = table.add(std::move(request.host), request.place)) return *bad;
  }
  return table.finish();
}

}  // namespace ringmaster::launcher::hostlist
