// SPDX-License-Identifier: Apache-2.0
#include "launcher/hostlist/rank_cores.h"

#include <fmt/format.h>

#include "launcher/hostlist/text.h"
#include "launcher/hostlist/words.h"

namespace ringmaster::launcher::hostlist {

namespace {

constexpr int kCoreMax = 65535;

Refusal check_core_range(std::string_view text) {
  if (text == "*") return {};
  const std::size_t dash = text.find('-');
  const auto first = parse_number(text.substr(0, dash), "a core", 0, kCoreMax);
  if (!first) return first.error();
  if (dash == std::string_view::npos) return {};
  const auto last = parse_number(text.substr(dash + 1), "a core", 0, kCoreMax);
  if (!last) return last.error();
  if (*last >= *first) return {};
  return refusal(fmt::format("the range {} runs backwards", in_quotes(text)),
                 "the smaller number comes first");
}

}  // namespace

Refusal check_rank_cores(std::string_view text) {
  if (text.empty()) return refusal("no cores are named", "write slot=0-1, or leave slot= out");
  const std::size_t colon = text.find(':');
  if (colon != std::string_view::npos) {
    const auto package = parse_number(text.substr(0, colon), "a package", 0, kCoreMax);
    if (!package) return package.error();
    text.remove_prefix(colon + 1);
  }
  for (const std::string_view field : fields(text, ',')) {
    if (auto bad = check_core_range(field)) return bad;
  }
  return {};
}

}  // namespace ringmaster::launcher::hostlist
