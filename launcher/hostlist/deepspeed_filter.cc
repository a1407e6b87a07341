// SPDX-License-Identifier: Apache-2.0
#include "launcher/hostlist/deepspeed_filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "launcher/hostlist/option_words.h"
#include "launcher/hostlist/text.h"
#include "launcher/hostlist/words.h"

namespace ringmaster::launcher::hostlist {

namespace {

// Of a host that a filter names; a GPU cut into seven, sixteen times over, is 112.
constexpr int kGpusMax = 256;

/// Which GPUs of which hosts a filter names, by the hosts' places in the list.
using Named = std::unordered_map<std::size_t, std::vector<bool>>;
using PlacesOfHosts = std::unordered_map<std::string_view, std::size_t>;

/// "n2:0,2", or "n1" for all of its GPUs.
Refusal name_gpus(Named& named, const HostList& list, const PlacesOfHosts& places,
                  std::string_view entry, std::string_view among) {
  const std::size_t colon = entry.find(':');
  const std::string_view host = entry.substr(0, colon);
  const auto at = places.find(host);
  if (at == places.end()) {
    return refusal(
        fmt::format("{} is not among the hosts of {}", in_quotes(host), on_one_line(among)),
        "write n1@n2:0,2");
  }
  const int slots = *list.hosts[at->second].slots;
  if (slots > kGpusMax) {
    return refusal(fmt::format("{} has {} slots, and a filter names at most {} a host",
                               in_quotes(host), slots, kGpusMax));
  }
  auto& gpus = named[at->second];
  gpus.resize(static_cast<std::size_t>(slots));
  if (colon == std::string_view::npos) {
    std::fill(gpus.begin(), gpus.end(), true);
    return {};
  }
  for (const std::string_view field : fields(entry.substr(colon + 1), ',')) {
    const auto gpu = parse_number(field, "a slot of this host", 0, slots - 1);
    if (!gpu) return gpu.error();
    gpus[static_cast<std::size_t>(*gpu)] = true;
  }
  return {};
}

/// The host with the GPUs that are kept. All of them: as if there were no filter.
HostEntry with_gpus(HostEntry entry, const std::vector<bool>& gpus, bool kept) {
  const auto count = static_cast<int>(std::ranges::count(gpus, kept));
  if (count == *entry.slots) return entry;
  entry.slots = count;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    if (gpus[i] == kept) entry.slot_ids.push_back(static_cast<int>(i));
  }
  return entry;
}

}  // namespace

ListResult<HostList> filter_gpus(const HostList& list, const Source& args, std::string_view among) {
  const auto options = parse_option_words(args, {{"--include", "-i"}, {"--exclude", "-e"}});
  if (!options) return options.error();
  if (options->size() > 1) {
    return refusal("more than one filter", "one --include or one --exclude, hosts joined by '@'")
        .at({.file = args.name, .line = 1, .entry = args.text});
  }
  const OptionWord& option = options->front();
  const bool includes = option.name == "--include";
  PlacesOfHosts places;
  for (std::size_t i = 0; i < list.hosts.size(); ++i) places.emplace(list.hosts[i].host, i);
  Named named;
  for (const std::string_view entry : fields(option.value, '@')) {
    if (auto bad = name_gpus(named, list, places, entry, among)) {
      return bad->at({.file = args.name, .line = 1, .entry = entry});
    }
  }
  HostList kept;
  for (std::size_t i = 0; i < list.hosts.size(); ++i) {
    const auto at = named.find(i);
    if (at == named.end()) {
      if (!includes) kept.hosts.push_back(list.hosts[i]);
      continue;
    }
    HostEntry entry = with_gpus(list.hosts[i], at->second, includes);
    if (*entry.slots > 0) kept.hosts.push_back(std::move(entry));
  }
  if (kept.slots() == 0) {
    return refusal("no slot is left", "exclude less")
        .at({.file = args.name, .line = 1, .entry = args.text});
  }
  return kept;
}

}  // namespace ringmaster::launcher::hostlist
