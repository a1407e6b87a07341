// SPDX-License-Identifier: Apache-2.0
#include "launcher/contracts/pmix_reports.h"

#include <charconv>
#include <optional>

namespace ringmaster::launcher::pmix {

namespace {

/// Reads a number off the front of `text`, and the space behind it.
std::optional<int> take_number(std::string_view& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (text.starts_with(' ')) text.remove_prefix(1);
  return number;
}

std::optional<Told> told_of(std::string_view record, int ranks) {
  if (record.empty()) return std::nullopt;
  Told told;
  std::string_view text = record.substr(1);
  told.text = text;
  constexpr std::string_view kOfTheJob = "vrf", kOfRanks = "cdas";
  const bool names_rank = kOfRanks.find(record.front()) != std::string_view::npos;
  if (!names_rank && kOfTheJob.find(record.front()) == std::string_view::npos) return std::nullopt;
  told.report = static_cast<Report>(record.front());
  if (!names_rank) return told;
  const auto rank = take_number(text);
  if (!rank || *rank < 0 || *rank >= ranks) return std::nullopt;
  told.rank = *rank;
  told.status = take_number(text).value_or(0);
  return told;
}

}  // namespace

std::vector<Told> take_reports(std::string& bytes, int ranks) {
  std::vector<Told> all;
  std::size_t at = 0;
  for (std::size_t end = 0; (end = bytes.find('\0', at)) != std::string::npos; at = end + 1) {
    auto told = told_of(std::string_view(bytes).substr(at, end - at), ranks);
    if (told) all.push_back(std::move(*told));
  }
  bytes.erase(0, at);
  return all;
}

}  // namespace ringmaster::launcher::pmix
