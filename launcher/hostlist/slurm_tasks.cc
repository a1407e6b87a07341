// SPDX-License-Identifier: Apache-2.0
#include "launcher/hostlist/slurm_tasks.h"

#include <fmt/format.h>

#include "launcher/hostlist/text.h"
#include "launcher/hostlist/words.h"

namespace ringmaster::launcher::hostlist {

namespace {

struct Repeated {
  int count = 0, times = 1;
};

/// "4", or "8(x2)".
ListResult<Repeated> parse_repeated(std::string_view text) {
  Repeated result;
  const std::size_t open = text.find('(');
  const auto count = parse_number(text.substr(0, open), "a number of ranks", 1, kSlotsMax);
  if (!count) return count.error();
  result.count = *count;
  if (open == std::string_view::npos) return result;
  const std::string_view times = text.substr(open);
  if (!times.starts_with("(x") || !times.ends_with(')')) {
    return refusal(fmt::format("{} says not how often", in_quotes(times)), "write 8(x2)");
  }
  const auto number = parse_number(times.substr(2, times.size() - 3), "a repetition", 1,
                                   static_cast<int>(kHostsMax));
  if (!number) return number.error();
  result.times = *number;
  return result;
}

}  // namespace

ListResult<std::vector<int>> parse_slurm_tasks(const Source& source, std::size_t hosts) {
  const auto line = only_line(source.text, source.name);
  if (!line) return line.error();
  std::vector<int> counts;
  for (const std::string_view field : fields(line->text, ',')) {
    const Place place{source.name, line->number, trimmed(field)};
    const auto repeated = parse_repeated(place.entry);
    if (!repeated) return repeated.error().at(place);
    if (static_cast<std::size_t>(repeated->times) > hosts - counts.size()) {
      return refusal(fmt::format("more numbers than the {} hosts of the list", hosts),
                     "one number a host")
          .at(place);
    }
    counts.insert(counts.end(), static_cast<std::size_t>(repeated->times), repeated->count);
  }
  if (counts.size() < hosts) {
    return refusal(fmt::format("{} numbers for {} hosts", counts.size(), hosts),
                   "one number a host")
        .at({source.name, line->number, line->text});
  }
  return counts;
}

}  // namespace ringmaster::launcher::hostlist
