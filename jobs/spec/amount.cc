// SPDX-License-Identifier: Apache-2.0
#include "jobs/spec/amount.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <vector>

#include "base/whole_number.h"
#include "jobs/spec/spec_error.h"

namespace ringmaster::jobs {

namespace {

struct Unit {
  std::string_view name;
  std::int64_t nanoseconds;
};

constexpr std::array kUnits = {Unit{"ns", 1},
                               Unit{"us", 1'000},
                               Unit{"ms", 1'000'000},
                               Unit{"s", 1'000'000'000},
                               Unit{"m", 60'000'000'000},
                               Unit{"h", 3'600'000'000'000}};

/// What people write instead.
struct OtherName {
  std::string_view name;
  std::string_view unit;
};
constexpr std::array kOtherNames = {
    OtherName{"sec", "s"},     OtherName{"secs", "s"},    OtherName{"second", "s"},
    OtherName{"seconds", "s"}, OtherName{"min", "m"},     OtherName{"mins", "m"},
    OtherName{"minute", "m"},  OtherName{"minutes", "m"}, OtherName{"hr", "h"},
    OtherName{"hour", "h"},    OtherName{"hours", "h"},   OtherName{"msec", "ms"},
    OtherName{"usec", "us"},   OtherName{"S", "s"},       OtherName{"M", "m"},
    OtherName{"H", "h"}};

constexpr std::string_view kUnitNames = "the units are ns, us, ms, s, m and h";

Error invalid(std::string text) {
  return {Errc::invalid, std::move(text)};
}

std::string_view take_digits(std::string_view* text) {
  const std::size_t end = std::min(text->find_first_not_of("0123456789"), text->size());
  const std::string_view digits = text->substr(0, end);
  text->remove_prefix(end);
  return digits;
}

Error bad_unit(std::string_view number, std::string_view unit) {
  if (unit.empty()) {
    return invalid(fmt::format("{} has no unit; {}: {}s", number, kUnitNames, number));
  }
  const std::string_view bare = unit.substr(std::min(unit.find_first_not_of(' '), unit.size()));
  for (const Unit& known : kUnits) {
    if (known.name == bare) {
      return invalid(fmt::format("no space stands before the unit: {}{}", number, bare));
    }
  }
  for (const OtherName& other : kOtherNames) {
    if (other.name == bare) {
      return invalid(fmt::format("{} is no unit; {}: {}{}", bare, kUnitNames, number, other.unit));
    }
  }
  return invalid(fmt::format("{} is no unit; {}", shown(bare), kUnitNames));
}

/// whole.fraction units, exactly; nothing when it is too large or no whole number of nanoseconds.
std::optional<std::int64_t> exact(std::string_view whole, std::string_view fraction,
                                  std::int64_t unit) {
  std::int64_t total = 0;
  if (!read_whole(whole, &total)) return std::nullopt;
  if (__builtin_mul_overflow(total, unit, &total)) return std::nullopt;
  while (!fraction.empty() && fraction.back() == '0') fraction.remove_suffix(1);
  for (const char digit : fraction) {
    if (unit % 10 != 0) return std::nullopt;
    unit /= 10;
    if (__builtin_add_overflow(total, (digit - '0') * unit, &total)) return std::nullopt;
  }
  return total;
}

bool is_step_word(std::string_view text) {
  return text == "steps" || text == "step";
}

Result<Period> parse_steps(std::string_view digits, std::string_view rest) {
  if (!rest.starts_with(' ') || rest.find_last_of(' ') != 0) {
    return invalid(fmt::format("one space stands between number and unit: {} steps", digits));
  }
  std::int64_t count = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  if (code != std::errc{} || count < 1 || count > kPeriodStepsMax) {
    return invalid(fmt::format("{} steps are out of bounds", shown(digits)));
  }
  return Period(Steps{count});
}

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
  std::string_view rest = text;
  if (rest.starts_with('-')) return invalid("a duration is not negative");
  const std::string_view whole = take_digits(&rest);
  std::string_view fraction;
  if (!whole.empty() && rest.starts_with('.')) {
    rest.remove_prefix(1);
    fraction = take_digits(&rest);
    if (fraction.empty()) return invalid("digits follow the point: 1.5h");
  }
  if (whole.empty())
    return invalid(fmt::format("{} is no duration; {}: 30s", shown(text), kUnitNames));
  const auto* unit = std::ranges::find(kUnits, rest, &Unit::name);
  if (unit == kUnits.end()) return bad_unit(text.substr(0, text.size() - rest.size()), rest);
  const auto total = exact(whole, fraction, unit->nanoseconds);
  if (!total) {
    return invalid(fmt::format("{} is too long, or finer than a nanosecond", shown(text)));
  }
  return Duration(*total);
}

std::string duration_text(Duration duration) {
  const std::int64_t count = duration.count();
  const Unit* best = kUnits.data();
  for (const Unit& unit : kUnits) {
    if (count % unit.nanoseconds == 0 && count != 0) best = &unit;
  }
  return fmt::format("{}{}", count / best->nanoseconds, best->name);
}

Result<Period> parse_period(std::string_view text) {
  std::string_view rest = text;
  const std::string_view digits = take_digits(&rest);
  const std::size_t word = std::min(rest.find_first_not_of(' '), rest.size());
  if (!digits.empty() && is_step_word(rest.substr(word))) return parse_steps(digits, rest);
  const auto duration = parse_duration(text);
  if (!duration) return duration.error();
  if (*duration < kPeriodMin || *duration > kPeriodMax) {
    return invalid(fmt::format("{} is out of bounds", text));
  }
  return Period(*duration);
}

std::string period_text(const Period& period) {
  if (const auto* steps = std::get_if<Steps>(&period)) return fmt::format("{} steps", steps->count);
  return duration_text(std::get<Duration>(period));
}

}  // namespace ringmaster::jobs
