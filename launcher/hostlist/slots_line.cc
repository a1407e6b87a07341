// SPDX-License-Identifier: Apache-2.0
#include "launcher/hostlist/slots_line.h"

#include "launcher/hostlist/text.h"
#include "launcher/hostlist/words.h"

namespace ringmaster::launcher::hostlist {

ListResult<HostEntry> parse_slots_line(std::string_view line) {
  constexpr std::string_view kKey = "slots=";
  const auto all = words(line);
  auto account = parse_account(all.front());
  if (!account) return account.error();
  if (all.size() != 2 || !all[1].starts_with(kKey)) {
    return refusal("a line is a host and its slots", "write n1 slots=4");
  }
  const auto slots = parse_slots(all[1].substr(kKey.size()));
  if (!slots) return slots.error();
  HostEntry entry{.host = std::move(account->host), .slots = *slots};
  entry.user = std::move(account->user);
  return entry;
}

}  // namespace ringmaster::launcher::hostlist
