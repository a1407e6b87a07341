// SPDX-License-Identifier: Apache-2.0
#include "launcher/dialects/mpirun_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/whole_number.h"
#include "launcher/settings.h"

namespace ringmaster::launcher {

namespace {

/// What the options come to, before it is words.
struct Chosen {
  std::string map = {}, bind = {};
  std::int64_t cores = 0, per_host = 0;
  bool oversubscribe = false;
};

std::vector<std::string> split_lower(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ':' || c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return parts;
}

bool read_count(std::string_view text, std::int64_t* number) {
  return read_whole(text, number) && *number >= 1 && *number <= kRanksMost;
}

Error bad_map(const std::string& text, const std::string& part) {
  return {Errc::invalid,
          fmt::format("--map-by {}: \"{}\" is not here; it takes slot, core, node, numa or "
                      "ppr:N:node, and behind a colon PE=N, OVERSUBSCRIBE or NOOVERSUBSCRIBE",
                      text, part)};
}

/// A second choice of a number must be the first one's.
Result<void> choose_count(std::string_view what, std::int64_t number, std::int64_t* chosen) {
  if (number == 0) return {};
  if (*chosen != 0 && *chosen != number) {
    return Error{Errc::invalid,
                 fmt::format("{}: {} and {}, which disagree", what, *chosen, number)};
  }
  *chosen = number;
  return {};
}

Result<void> read_modifiers(const std::string& text, const std::vector<std::string>& parts,
                            std::size_t first, Chosen* chosen) {
  for (std::size_t i = first; i < parts.size(); ++i) {
    const std::string& part = parts[i];
    std::int64_t cores = 0;
    if (part == "oversubscribe") {
      chosen->oversubscribe = true;
    } else if (part.starts_with("pe=") && read_count(part.substr(3), &cores)) {
      auto agreed = choose_count("cores for each rank", cores, &chosen->cores);
      if (!agreed) return agreed;
    } else if (part != "nooversubscribe") {
      return bad_map(text, part);
    }
  }
  return {};
}

Result<void> read_map(const std::string& text, Chosen* chosen) {
  if (text.empty()) return {};
  const auto parts = split_lower(text);
  if (parts[0] == "ppr") {
    std::int64_t ranks = 0;
    const bool fits = parts.size() >= 3 && read_count(parts[1], &ranks) && parts[2] == "node";
    if (!fits) return bad_map(text, text);
    auto agreed = choose_count("ranks on each host", ranks, &chosen->per_host);
    return agreed ? read_modifiers(text, parts, 3, chosen) : agreed;
  }
  const std::string& rule = parts[0];
  // One rank a slot or a core fills a host before the next: that is one rule here.
  if (rule == "slot" || rule == "core") chosen->map = "slot";
  if (rule == "node" || rule == "numa") chosen->map = rule;
  // Open MPI takes ":PE=2" for a rule that it does not name.
  if (chosen->map.empty() && !rule.empty()) return bad_map(text, rule);
  return read_modifiers(text, parts, 1, chosen);
}

Result<void> read_bind(const std::string& text, Chosen* chosen) {
  if (text.empty()) return {};
  const auto parts = split_lower(text);
  const bool known = parts[0] == "core" || parts[0] == "numa" || parts[0] == "none";
  std::int64_t cores = 0;
  // Ranks that outnumber their places share them here anyway, and a line says so.
  const bool plain =
      parts.size() == 1 ||
      (parts.size() == 2 && (parts[1] == "overload-allowed" || parts[1] == "if-supported"));
  const bool counted = parts.size() == 2 && parts[0] == "core" && read_count(parts[1], &cores);
  if (!known || (!plain && !counted)) {
    return Error{Errc::invalid,
                 fmt::format("--bind-to {}: it takes core, core:N, numa or none", text)};
  }
  if (counted) return choose_count("cores for each rank", cores, &chosen->cores);
  chosen->bind = parts[0];
  return {};
}

}  // namespace

Result<MpirunPlaces> read_mpirun_places(const MpirunSettings& settings) {
  Chosen chosen{.cores = settings.cores, .oversubscribe = settings.oversubscribe};
  chosen.per_host = settings.per_host;
  auto read = choose_count("ranks on each host", settings.one_per_host ? 1 : 0, &chosen.per_host);
  if (read) read = read_map(settings.map, &chosen);
  if (read) read = read_bind(settings.bind, &chosen);
  if (!read) return read.error();
  const bool lists = !settings.hosts.empty() || !settings.host_files.empty();
  if (chosen.per_host > 0 && lists) {
    return Error{Errc::invalid,
                 fmt::format("{} ranks on each host: write the number behind the hosts of the list "
                             "(n1:{}, or slots={} in a file)",
                             chosen.per_host, chosen.per_host, chosen.per_host)};
  }
  MpirunPlaces places{.oversubscribe = chosen.oversubscribe,
                      .per_host = static_cast<int>(chosen.per_host)};
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) places.words.insert(places.words.end(), {option, value});
  };
  add("--map", chosen.map);
  add("--bind", chosen.bind);
  if (chosen.cores > 0) add("-c", fmt::format("{}", chosen.cores));
  if (chosen.oversubscribe) places.words.emplace_back("--oversubscribe");
  return places;
}

}  // namespace ringmaster::launcher
