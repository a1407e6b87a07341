// SPDX-License-Identifier: Apache-2.0
#include "launcher/doctor/findings_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "launcher/doctor/diagnose.h"

namespace ringmaster::launcher::doctor {

namespace {

constexpr std::array kWorstFirst = {Level::problem, Level::warning, Level::note, Level::unknown,
                                    Level::ok};

const char* colour_of(Level level) {
  switch (level) {
    case Level::ok:
      return "32";
    case Level::unknown:
      return "2";
    case Level::note:
      return "36";
    case Level::warning:
      return "33";
    case Level::problem:
      return "31";
  }
  return "0";
}

std::string finding_line(const Finding& finding, bool colours) {
  const Verdict& verdict = finding.verdict;
  const std::string level = fmt::format("{:<7}", level_name(verdict.level));
  std::string line =
      colours ? fmt::format("\x1b[{}m{}\x1b[0m", colour_of(verdict.level), level) : level;
  line += fmt::format("  {}: {}", finding.check, verdict.seen);
  if (!verdict.advice.empty()) line += fmt::format(" -> {}", verdict.advice);
  // What was seen may hold a library's text: it stays one line.
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line + "\n";
}

/// How many checks were fine; a check with several findings counts by its worst.
std::string summary_line(const std::vector<Finding>& findings, bool all) {
  std::map<std::string, Level> worst;
  for (const Finding& finding : findings) {
    Level& level = worst[finding.check];
    level = std::max(level, finding.verdict.level);
  }
  const auto count = [&](Level level) {
    return std::count_if(worst.begin(), worst.end(),
                         [&](const auto& check) { return check.second == level; });
  };
  std::string text = fmt::format("{} of {} checks are fine", count(Level::ok), worst.size());
  if (const auto unknown = count(Level::unknown); unknown > 0) {
    text += fmt::format(", {} could not be made{}", unknown, all ? "" : " (--all tells which)");
  }
  return text + "\n";
}

}  // namespace

std::string findings_text(const std::vector<Finding>& findings, bool all, bool colours) {
  std::string text;
  for (const Level level : kWorstFirst) {
    if (level < Level::note && !all) break;
    for (const Finding& finding : findings) {
      if (finding.verdict.level == level) text += finding_line(finding, colours);
    }
  }
  return text + summary_line(findings, all);
}

std::string findings_json(const std::vector<Finding>& findings) {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (const Finding& finding : findings) {
    list.push_back({{"check", finding.check},
                    {"level", level_name(finding.verdict.level)},
                    {"seen", finding.verdict.seen},
                    {"advice", finding.verdict.advice}});
  }
  return Json{{"worst", level_name(worst_of(findings))}, {"findings", std::move(list)}}.dump(
      -1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace ringmaster::launcher::doctor
