// SPDX-License-Identifier: Apache-2.0
//
// What horovodrun takes: -H n1:4,n2:4, where slots are required, and a file of "n1 slots=4". Ranks
// follow the entries, so a host that comes again stays where it stands.
#include "launcher/hostlist/readers.h"
#include "launcher/hostlist/slots_line.h"
#include "launcher/hostlist/text.h"
#include "launcher/hostlist/words.h"

namespace ringmaster::launcher::hostlist {

namespace {

ListResult<HostEntry> parse_horovod_host(std::string_view entry) {
  const std::size_t colon = entry.find(':');
  auto host = parse_host(entry.substr(0, colon));
  if (!host) return host.error();
  if (colon == std::string_view::npos) {
    return refusal("no slots are given", "Horovod needs them: n1:4");
  }
  const auto slots = parse_slots(entry.substr(colon + 1));
  if (!slots) return slots.error();
  return HostEntry{.host = std::move(*host), .slots = *slots};
}

}  // namespace

ListResult<HostList> read_horovod(const Question& question) {
  const auto line = only_line(question.list.text, question.list.name);
  if (!line) return line.error();
  HostTable table(question.list.name);
  if (line->text.empty()) return table.finish();
  for (const std::string_view field : fields(line->text, ',')) {
    const Place place{question.list.name, line->number, trimmed(field)};
    if (place.entry.empty()) {
      return refusal("an entry is empty", "one comma between hosts, none at the ends")
          .at({question.list.name, line->number, line->text});
    }
    auto entry = parse_horovod_host(place.entry);
    if (!entry) return entry.error().at(place);
    if (auto bad = table.append(std::move(*entry), place)) return *bad;
  }
  return table.finish();
}

ListResult<HostList> read_horovod_hostfile(const Question& question) {
  HostTable table(question.list.name);
  Lines lines(question.list.text, Lines::Comments::hash);
  while (const auto line = lines.next()) {
    const Place place{question.list.name, line->number, line->text};
    auto entry = parse_slots_line(line->text);
    if (!entry) return entry.error().at(place);
    if (auto bad = table.append(std::move(*entry), place)) return *bad;
  }
  return table.finish();
}

}  // namespace ringmaster::launcher::hostlist
