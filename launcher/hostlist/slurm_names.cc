// SPDX-License-Identifier: Apache-2.0
#include "launcher/hostlist/slurm_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "launcher/hostlist/host_list.h"
#include "launcher/hostlist/text.h"
#include "launcher/hostlist/words.h"

namespace ringmaster::launcher::hostlist {

namespace {

constexpr std::size_t kBracketsMax = 2;  // as Slurm's configuration; with three its order is odd
constexpr std::size_t kRangesMax = 65536;
constexpr int kIndexMax = 999'999'999;
constexpr std::string_view kForm = "write n[1-3,7]";

struct Range {
  int first = 0, last = 0;
  std::size_t width = 0;  // digits at least, by leading zeros
  long long size() const { return static_cast<long long>(last) - first + 1; }
};
struct Bracket {
  std::string_view before;  // the letters of the name in front of it
  std::vector<Range> ranges;
  long long size() const {
    long long sum = 0;
    for (const Range& range : ranges) sum += range.size();
    return sum;
  }
};

ListResult<Range> parse_range(std::string_view text) {
  const std::size_t dash = text.find('-');
  const std::string_view from = text.substr(0, dash);
  const std::string_view to = dash == std::string_view::npos ? from : text.substr(dash + 1);
  const auto first = parse_number(from, "an index", 0, kIndexMax);
  if (!first) return first.error();
  const auto last = parse_number(to, "an index", 0, kIndexMax);
  if (!last) return last.error();
  const Range range{*first, *last, from.size()};
  if (range.size() < 1) {
    return refusal(fmt::format("the range {} runs backwards", in_quotes(text)),
                   "the smaller number comes first");
  }
  if (range.size() > kRangeMax) {
    return refusal(fmt::format("the range {} has {} hosts, at most {}", in_quotes(text),
                               range.size(), kRangeMax));
  }
  return range;
}

/// "n[1-2]b[3]" as its brackets; what is in front of each is left to the check of the whole names.
ListResult<std::vector<Bracket>> parse_brackets(std::string_view text) {
  std::vector<Bracket> brackets;
  while (!text.empty()) {
    const std::size_t open = text.find('[');
    const std::string_view before = text.substr(0, open);
    if (before.find(']') != std::string_view::npos) {
      return refusal("a bracket closes that was not opened", std::string(kForm));
    }
    if (open == std::string_view::npos) {
      return refusal(fmt::format("{} stands behind the bracket", in_quotes(before)),
                     "Slurm's brackets end the name");
    }
    const std::size_t close = text.find(']', open);
    if (close == std::string_view::npos) {
      return refusal("a bracket opens and does not close", std::string(kForm));
    }
    if (brackets.size() == kBracketsMax) {
      return refusal(fmt::format("more than {} brackets in a name", kBracketsMax));
    }
    Bracket bracket{before, {}};
    for (const std::string_view field : fields(text.substr(open + 1, close - open - 1), ',')) {
      const auto range = parse_range(field);
      if (!range) return range.error();
      if (bracket.ranges.size() == kRangesMax) return refusal("too many ranges in a bracket");
      bracket.ranges.push_back(*range);
    }
    brackets.push_back(std::move(bracket));
    text.remove_prefix(close + 1);
  }
  return brackets;
}

void append_names(std::vector<std::string>& names, const std::string& so_far,
                  const std::vector<Bracket>& brackets, std::size_t depth) {
  if (depth == brackets.size()) return names.push_back(so_far);
  for (const Range& range : brackets[depth].ranges) {
    for (int index = range.first; index <= range.last; ++index) {
      append_names(names,
                   fmt::format("{}{}{:0{}}", so_far, brackets[depth].before, index, range.width),
                   brackets, depth + 1);
    }
  }
}

}  // namespace

ListResult<std::vector<std::string>> expand_names(std::string_view entry, std::size_t most) {
  if (entry.find_first_of("[]") == std::string_view::npos) {
    auto name = parse_host(entry);
    if (!name) return name.error();
    return std::vector<std::string>{std::move(*name)};
  }
  const auto brackets = parse_brackets(entry);
  if (!brackets) return brackets.error();
  long long count = 1;
  for (const Bracket& bracket : *brackets) {
    const long long size = bracket.size();
    // Both factors are small enough: a bracket has at most 65,536 ranges of 65,536.
    if (size > static_cast<long long>(most) / count) {
      return refusal(fmt::format("more than {} hosts in all", kHostsMax), "name fewer");
    }
    count *= size;
  }
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(count));
  append_names(names, "", *brackets, 0);
  for (const std::string& name : names) {
    if (const auto host = parse_host(name); !host) return host.error();
  }
  return names;
}

}  // namespace ringmaster::launcher::hostlist
