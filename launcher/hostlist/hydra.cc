// SPDX-License-Identifier: Apache-2.0
//
// Host files of Hydra, the launcher of MPICH and Intel MPI. A name alone is one slot. A host that
// comes again gets its next ranks there; right behind itself it is one entry, as Hydra has it.
#include <fmt/format.h>

#include "launcher/hostlist/readers.h"
#include "launcher/hostlist/text.h"
#include "launcher/hostlist/words.h"

namespace ringmaster::launcher::hostlist {

namespace {

ListResult<HostEntry> parse_hydra_host(std::string_view word) {
  auto host = parse_suffixed(word);
  if (!host) return host.error();
  HostEntry entry{.host = std::move(host->account.host), .slots = 1};
  entry.user = std::move(host->account.user);
  if (!host->has_suffix) return entry;
  const auto slots = parse_number(host->suffix, "a number of processes", 1, kSlotsMax);
  if (!slots) return slots.error();
  entry.slots = *slots;
  return entry;
}

/// "user=bob" and "binding=...": Hydra 4 knows no others. A binding is where on the host ranks run,
/// which a host list does not say: it is noted.
Refusal set_hydra_attribute(HostEntry& entry, std::string_view word, bool& has_binding) {
  const std::size_t equals = word.find('=');
  const std::string_view name = word.substr(0, equals);
  const std::string_view value =
      equals == std::string_view::npos ? std::string_view() : word.substr(equals + 1);
  if (name == "user" && entry.user.empty()) {
    const auto account = parse_account(std::string(value) + "@host");
    if (!account) return account.error();
    entry.user = account->user;
    return {};
  }
  if (name == "binding" && !value.empty()) {
    has_binding = true;
    return {};
  }
  return refusal(fmt::format("{} is no attribute", in_quotes(word)),
                 "a line is host:processes, and perhaps user=NAME or binding=WHERE");
}

Refusal add_behind(HostTable& table, std::string& last, HostEntry entry, const Place& place) {
  HostEntry* known = entry.host == last ? table.find_last() : nullptr;
  if (known == nullptr || known->user != entry.user) {
    last = entry.host;
    return table.append(std::move(entry), place);
  }
  if (*known->slots > kSlotsMax - *entry.slots) {
    return refusal(fmt::format("more than {} slots for {}", kSlotsMax, in_quotes(entry.host)))
        .at(place);
  }
  known->slots = *known->slots + *entry.slots;
  return {};
}

}  // namespace

ListResult<HostList> read_hydra(const Question& question) {
  HostTable table(question.list.name);
  std::string last;
  int bindings = 0;
  Lines lines(question.list.text, Lines::Comments::hash);
  while (const auto line = lines.next()) {
    const Place place{question.list.name, line->number, line->text};
    const auto all = words(line->text);
    auto entry = parse_hydra_host(all.front());
    if (!entry) return entry.error().at(place);
    bool has_binding = false;
    for (std::size_t i = 1; i < all.size(); ++i) {
      if (auto bad = set_hydra_attribute(*entry, all[i], has_binding)) return bad->at(place);
    }
    bindings += has_binding ? 1 : 0;
    if (auto bad = add_behind(table, last, std::move(*entry), place)) return *bad;
  }
  auto list = table.finish();
  if (list && bindings > 0) {
    list->notes.push_back(fmt::format(
        "a binding on {} of its lines is left out: it says where on a host, not on which",
        bindings));
  }
  return list;
}

}  // namespace ringmaster::launcher::hostlist
