// SPDX-License-Identifier: Apache-2.0
#include "launcher/hostlist/option_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "launcher/hostlist/text.h"

namespace ringmaster::launcher::hostlist {

namespace {

/// The first spelling of the option that `word` spells, or "".
std::string_view option_named(std::string_view word, const std::vector<Spellings>& known) {
  for (const Spellings& spellings : known) {
    if (std::ranges::count(spellings, word) > 0) return spellings.front();
  }
  return {};
}

std::string known_names(const std::vector<Spellings>& known) {
  std::string names;
  for (const Spellings& spellings : known) {
    names += fmt::format("{}{}", names.empty() ? "" : " or ", spellings.front());
  }
  return names;
}

}  // namespace

ListResult<std::vector<OptionWord>> parse_option_words(const Source& source,
                                                       const std::vector<Spellings>& known) {
  std::vector<OptionWord> options;
  const auto all = words(source.text);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Place place{source.name, 1, all[i]};
    const std::size_t equals = all[i].find('=');
    const std::string_view name = option_named(all[i].substr(0, equals), known);
    if (name.empty()) {
      return refusal("no option of such a list", fmt::format("it takes {}", known_names(known)))
          .at(place);
    }
    if (equals == std::string_view::npos && i + 1 == all.size()) {
      return refusal("it needs a value").at(place);
    }
    const std::string_view value =
        equals == std::string_view::npos ? all[++i] : all[i].substr(equals + 1);
    options.push_back({name, value});
  }
  if (options.empty()) {
    return refusal("no option is given", fmt::format("it takes {}", known_names(known)))
        .at({.file = source.name});
  }
  return options;
}

}  // namespace ringmaster::launcher::hostlist
