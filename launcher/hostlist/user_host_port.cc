// SPDX-License-Identifier: Apache-2.0
//
// Destinations as ssh's users write them: the number behind the colon is ssh's port, never a number
// of slots. One slot each; several by commas or lines.
#include "launcher/hostlist/readers.h"
#include "launcher/hostlist/text.h"
#include "launcher/hostlist/words.h"

namespace ringmaster::launcher::hostlist {

namespace {

constexpr int kSshPortMax = 65535;

ListResult<HostEntry> parse_destination(std::string_view text) {
  auto host = parse_suffixed(text);
  if (!host) return host.error();
  HostEntry entry{.host = std::move(host->account.host), .slots = 1};
  entry.user = std::move(host->account.user);
  if (!host->has_suffix) return entry;
  const auto port = parse_number(host->suffix, "a port", 1, kSshPortMax);
  if (!port) return port.error();
  entry.port = *port;
  return entry;
}

}  // namespace

ListResult<HostList> read_user_host_port(const Question& question) {
  HostTable table(question.list.name);
  Lines lines(question.list.text, Lines::Comments::hash);
  while (const auto line = lines.next()) {
    for (const std::string_view field : fields(line->text, ',')) {
      const Place place{question.list.name, line->number, trimmed(field)};
      auto entry = parse_destination(place.entry);
      if (!entry) return entry.error().at(place);
      if (auto bad = table.append(std::move(*entry), place)) return *bad;
    }
  }
  return table.finish();
}

}  // namespace ringmaster::launcher::hostlist
