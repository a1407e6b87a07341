// SPDX-License-Identifier: Apache-2.0
#include "launcher/dialects/refused.h"

#include <fmt/format.h>

namespace ringmaster::launcher {

Refusals::Refusals(const std::vector<RefusedOption>& options)
    : options_(options), seen_(options.size()) {}

Flags Refusals::flags() {
  Flags flags;
  for (std::size_t i = 0; i < options_.size(); ++i) {
    const RefusedOption& option = options_[i];
    const Target target =
        option.value.empty() ? Target(&seen_[i].is_there) : Target(&seen_[i].values);
    flags.push_back({option.names, target, option.value, option.instead});
  }
  return flags;
}

std::optional<Error> Refusals::given() const {
  for (std::size_t i = 0; i < options_.size(); ++i) {
    if (!seen_[i].is_there && seen_[i].values.empty()) continue;
    return Error{Errc::invalid, fmt::format("{}: not here: {}", last_name(options_[i].names),
                                            options_[i].instead)};
  }
  return std::nullopt;
}

std::string refusals_text(const std::vector<RefusedOption>& options) {
  std::string text = "known and not here:\n";
  for (const RefusedOption& option : options) {
    text += fmt::format("  {:<26} {}\n", last_name(option.names), option.instead);
  }
  return text;
}

std::string_view last_name(std::string_view names) {
  const std::size_t comma = names.rfind(',');
  return comma == std::string_view::npos ? names : names.substr(comma + 1);
}

}  // namespace ringmaster::launcher
