// SPDX-License-Identifier: Apache-2.0
//
// Hostfiles of DeepSpeed, and its --include and --exclude. A slot is a GPU, known by its number:
// a filter keeps or drops single ones. A host that comes twice is an error there.
#include <fmt/format.h>

#include "launcher/hostlist/deepspeed_filter.h"
#include "launcher/hostlist/readers.h"
#include "launcher/hostlist/slots_line.h"
#include "launcher/hostlist/text.h"

namespace ringmaster::launcher::hostlist {

ListResult<HostList> read_deepspeed(const Question& question) {
  HostTable table(question.list.name);
  Lines lines(question.list.text, Lines::Comments::hash);
  while (const auto line = lines.next()) {
    const Place place{question.list.name, line->number, line->text};
    auto entry = parse_slots_line(line->text);
    if (!entry) return entry.error().at(place);
    if (const HostEntry* known = table.find(entry->host)) {
      return refusal(fmt::format("line {} names {} already", known->line, in_quotes(entry->host)),
                     "name each host once")
          .at(place);
    }
    if (auto bad = table.append(std::move(*entry), place)) return *bad;
  }
  auto list = table.finish();
  if (list && question.args) return filter_gpus(*list, *question.args, question.list.name);
  return list;
}

}  // namespace ringmaster::launcher::hostlist
