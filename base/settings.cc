// SPDX-License-Identifier: Apache-2.0
#include "base/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace ringmaster {

namespace {

constexpr std::size_t kHelpColumn = 26;

std::vector<std::string> spellings(const Flag& flag) {
  std::vector<std::string> names;
  std::string_view rest = flag.names;
  while (!rest.empty()) {
    const auto comma = rest.find(',');
    names.emplace_back(rest.substr(0, comma));
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
  }
  CHECK(!names.empty());
  return names;
}

bool takes_value(const Flag& flag) {
  return !std::holds_alternative<bool*>(flag.target);
}

const Flag* find_flag(const Flags& flags, std::string_view name) {
  for (const Flag& flag : flags) {
    const auto names = spellings(flag);
    if (std::find(names.begin(), names.end(), name) != names.end()) return &flag;
  }
  return nullptr;
}

Error unknown_flag(const Flags& flags, std::string_view name) {
  std::vector<std::string> candidates = {"--help", "--print-config"};
  for (const Flag& flag : flags) {
    for (auto& spelling : spellings(flag)) candidates.push_back(std::move(spelling));
  }
  const std::string near = suggest(name, candidates);
  return {Errc::invalid, near.empty()
                             ? fmt::format("unknown option {}: see --help", name)
                             : fmt::format("unknown option {}: did you mean {}?", name, near)};
}

std::string number_text(double number) {
  return std::floor(number) == number && std::fabs(number) < 1e15 ? fmt::format("{:.0f}", number)
                                                                  : fmt::format("{}", number);
}

std::string bounds_text(const Bounds& bounds) {
  const bool low = std::isfinite(bounds.low), high = std::isfinite(bounds.high);
  if (low && high) {
    return fmt::format("{} to {}", number_text(bounds.low), number_text(bounds.high));
  }
  if (low) return fmt::format("at least {}", number_text(bounds.low));
  if (high) return fmt::format("at most {}", number_text(bounds.high));
  return fmt::format("{}", fmt::join(bounds.choices, ", "));
}

/// Reads a whole number or a decimal one; the text must be used up.
template <class Number>
Result<Number> parse_number(std::string_view name, std::string_view text, const Bounds& bounds) {
  Number number{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = end == text.data() + text.size() && !text.empty();
  if (code == std::errc::invalid_argument || !whole) {
    return Error{Errc::invalid,
                 fmt::format("{} {}: not a {}", name, text,
                             std::is_integral_v<Number> ? "whole number" : "number")};
  }
  const auto value = static_cast<double>(number);
  const bool inside = value >= bounds.low && value <= bounds.high && std::isfinite(value);
  if (code == std::errc::result_out_of_range || !inside) {
    return Error{Errc::invalid,
                 fmt::format("{} {}: out of bounds, it takes {}", name, text, bounds_text(bounds))};
  }
  return number;
}

template <class Number>
Result<void> assign_number(const Flag& flag, std::string_view name, std::string_view text,
                           Number* target) {
  auto number = parse_number<Number>(name, text, flag.bounds);
  if (!number) return number.error();
  *target = *number;
  return {};
}

Result<void> check_choice(const Flag& flag, std::string_view name, const std::string& text) {
  const auto& choices = flag.bounds.choices;
  if (choices.empty() || std::find(choices.begin(), choices.end(), text) != choices.end()) {
    return {};
  }
  const std::string near = suggest(text, choices);
  return Error{Errc::invalid,
               fmt::format("{} {}: it takes {}{}", name, text, fmt::join(choices, ", "),
                           near.empty() ? "" : "; did you mean " + near + "?")};
}

Result<void> assign(const Flag& flag, std::string_view name, const std::string& text) {
  if (auto* const* whole = std::get_if<std::int64_t*>(&flag.target)) {
    return assign_number(flag, name, text, *whole);
  }
  if (auto* const* decimal = std::get_if<double*>(&flag.target)) {
    return assign_number(flag, name, text, *decimal);
  }
  auto valid = check_choice(flag, name, text);
  if (!valid) return valid;
  if (auto* const* word = std::get_if<std::string*>(&flag.target)) **word = text;
  if (auto* const* list = std::get_if<std::vector<std::string>*>(&flag.target)) {
    (*list)->push_back(text);
  }
  return {};
}

/// Reads the flag at `arguments[at]` and its value; moves `at` behind them.
Result<void> parse_one(const Flags& flags, const std::vector<std::string>& arguments,
                       std::size_t* at, std::vector<const Flag*>* seen) {
  const std::string& argument = arguments[(*at)++];
  const auto equals = argument.starts_with("--") ? argument.find('=') : std::string::npos;
  const std::string name = argument.substr(0, equals);
  const Flag* flag = find_flag(flags, name);
  if (flag == nullptr) return unknown_flag(flags, name);
  const bool repeatable = std::holds_alternative<std::vector<std::string>*>(flag->target);
  if (!repeatable && std::find(seen->begin(), seen->end(), flag) != seen->end()) {
    return Error{Errc::invalid, fmt::format("{}: given twice", name)};
  }
  seen->push_back(flag);
  if (!takes_value(*flag)) {
    if (equals != std::string::npos) {
      return Error{Errc::invalid, fmt::format("{}: takes no value", name)};
    }
    *std::get<bool*>(flag->target) = true;
    return {};
  }
  if (equals != std::string::npos) return assign(*flag, name, argument.substr(equals + 1));
  if (*at == arguments.size()) {
    return Error{Errc::invalid, fmt::format("{}: needs a value {}", name, flag->value)};
  }
  return assign(*flag, name, arguments[(*at)++]);
}

/// A default outside the bounds means "not given", and its sentence says what happens then.
bool default_is_value(const Flag& flag) {
  const auto inside = [&](double value) {
    return value >= flag.bounds.low && value <= flag.bounds.high;
  };
  if (auto* const* whole = std::get_if<std::int64_t*>(&flag.target)) {
    return inside(static_cast<double>(**whole));
  }
  if (auto* const* decimal = std::get_if<double*>(&flag.target)) return inside(**decimal);
  return true;
}

std::string default_text(const Flag& flag) {
  if (auto* const* whole = std::get_if<std::int64_t*>(&flag.target)) {
    return fmt::format("{}", **whole);
  }
  if (auto* const* decimal = std::get_if<double*>(&flag.target)) {
    return number_text(**decimal);
  }
  if (auto* const* word = std::get_if<std::string*>(&flag.target)) return **word;
  if (auto* const* list = std::get_if<std::vector<std::string>*>(&flag.target)) {
    return fmt::format("{}", fmt::join(**list, " "));
  }
  return *std::get<bool*>(flag.target) ? "yes" : "";
}

}  // namespace

Bounds between(double low, double high) {
  return {.low = low, .high = high};
}
Bounds one_of(std::vector<std::string> choices) {
  return {.choices = std::move(choices)};
}

Result<Parsed> parse_flags(const Flags& flags, const std::vector<std::string>& arguments,
                           Rest rest) {
  Parsed parsed;
  std::vector<const Flag*> seen;
  for (std::size_t at = 0; at < arguments.size();) {
    const std::string& argument = arguments[at];
    const bool ends_flags = argument == "--";
    const bool is_flag = !ends_flags && argument.size() > 1 && argument[0] == '-';
    if (ends_flags || (!is_flag && rest == Rest::command)) {
      parsed.rest.insert(parsed.rest.end(),
                         arguments.begin() + static_cast<std::ptrdiff_t>(at + (ends_flags ? 1 : 0)),
                         arguments.end());
      break;
    }
    if (argument == "--help" || argument == "-h") return Parsed{.help = true};
    if (argument == "--print-config") {
      parsed.print_config = true;
      ++at;
    } else if (is_flag) {
      auto one = parse_one(flags, arguments, &at, &seen);
      if (!one) return one.error();
    } else {
      parsed.rest.push_back(argument);
      ++at;
    }
  }
  if (rest == Rest::none && !parsed.rest.empty()) {
    return Error{Errc::invalid,
                 fmt::format("unexpected word \"{}\": see --help", parsed.rest.front())};
  }
  return parsed;
}

std::string help_text(std::string_view usage, std::string_view purpose, const Flags& flags,
                      std::string_view example) {
  std::string text = fmt::format("usage: {}\n\n{}\n\noptions:\n", usage, purpose);
  for (const Flag& flag : flags) {
    const std::string names = fmt::format("{}", fmt::join(spellings(flag), ", "));
    const std::string left = takes_value(flag) ? fmt::format("{} {}", names, flag.value) : names;
    std::string notes;
    if (const std::string value = default_text(flag); !value.empty() && default_is_value(flag)) {
      notes = "default " + value;
    }
    if (const std::string limits = bounds_text(flag.bounds); !limits.empty()) {
      notes += (notes.empty() ? "" : "; ") + limits;
    }
    // What is wider than the column has its sentence below it.
    const std::string gap =
        left.size() > kHelpColumn ? "\n" + std::string(kHelpColumn + 2, ' ') : "";
    text += fmt::format("  {:<{}}{} {}{}\n", left, kHelpColumn, gap, flag.doc,
                        notes.empty() ? "" : fmt::format(" ({})", notes));
  }
  text += fmt::format("  {:<26} {}\n", "--print-config", "print the settings in force and end");
  text += fmt::format("  {:<26} {}\n", "-h, --help", "print this page");
  return text + fmt::format("\nexample:\n  {}\n", example);
}

std::string config_text(const Flags& flags) {
  std::string text;
  for (const Flag& flag : flags) {
    const std::string value = default_text(flag);
    text += fmt::format("{} {}\n", spellings(flag).back(), value.empty() ? "-" : value);
  }
  return text;
}

std::string suggest(std::string_view word, const std::vector<std::string>& candidates) {
  // Levenshtein distance; a typo is at most two edits, and less than half of a short word.
  std::string best;
  std::size_t best_distance = 3;
  for (const std::string& candidate : candidates) {
    std::vector<std::size_t> row(candidate.size() + 1);
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
    for (std::size_t i = 0; i < word.size(); ++i) {
      std::size_t diagonal = std::exchange(row[0], i + 1);
      for (std::size_t j = 0; j < candidate.size(); ++j) {
        const std::size_t replaced = diagonal + (word[i] == candidate[j] ? 0 : 1);
        diagonal = row[j + 1];
        row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
      }
    }
    if (row.back() < best_distance && 2 * row.back() < candidate.size()) {
      best_distance = row.back();
      best = candidate;
    }
  }
  return best;
}

}  // namespace ringmaster
