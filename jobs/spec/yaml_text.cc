// SPDX-License-Identifier: Apache-2.0
#include "jobs/spec/yaml_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <regex>

namespace ringmaster::jobs {

namespace {

constexpr std::size_t kSurpriseBytes = 40;  // a longer number or date is no slip

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

struct Surprise {
  const char* pattern;
  std::string_view meaning;
};

/// Tried in this order; letters match in either case.
constexpr std::array kSurprises = {
    Surprise{"y|n|yes|no|on|off|true|false", "a truth value"},
    Surprise{"|~|null", "nothing"},
    Surprise{"[-+]?\\.(inf|nan)", "a number without a value"},
    Surprise{"[-+]?0[0-9_]+", "an octal number"},
    Surprise{"[-+]?0[xob][0-9a-f_]+", "a number in another base"},
    Surprise{"[-+]?[0-9][0-9_]*_[0-9_.]*", "a number with separators"},
    Surprise{"[-+]?[0-9][0-9_]*(:[0-9]{1,2})+(\\.[0-9]*)?", "a number in base 60, or a time"},
    Surprise{"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}.*", "a date"},
    Surprise{"[-+]?([0-9]+\\.?[0-9]*|\\.[0-9]+)e[-+]?[0-9]+", "a number with an exponent"},
    Surprise{"\\+[0-9.]+|[-+]?[0-9]+\\.|[-+]?\\.[0-9]+|-?0[0-9]+\\.[0-9]*",
             "a number that is written oddly"},
    Surprise{"=|<<", "an instruction of YAML's own"},
};

/// Plain in every reader and place: no sign of YAML's in it.
bool is_plainly_safe(std::string_view text) {
  const auto is_safe = [](char c) {
    return is_letter(c) || is_digit(c) || std::string_view("_./-+@%=").find(c) != std::string::npos;
  };
  const auto is_alnum = [](char c) { return is_letter(c) || is_digit(c); };
  return !text.empty() && std::ranges::all_of(text, is_safe) &&
         std::ranges::any_of(text, is_alnum) &&
         std::string_view("+@%=").find(text.front()) == std::string::npos &&
         surprise_of(text).empty();
}

/// How long the valid UTF-8 sequence at the front is, with its code point; 0 when there is none.
std::size_t decode(std::string_view text, std::uint32_t* point) {
  const auto byte = [&](std::size_t i) -> std::uint32_t {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const std::uint32_t first = byte(0);
  const std::size_t size = first < 0x80U    ? 1
                           : first < 0xc2U  ? 0
                           : first < 0xe0U  ? 2
                           : first < 0xf0U  ? 3
                           : first <= 0xf4U ? 4
                                            : 0;
  if (size <= 1) {
    *point = first;
    return size;
  }
  *point = first & (0x7fU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return 0;
    *point = *point << 6U | (byte(i) & 0x3fU);
  }
  constexpr std::array<std::uint32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = *point >= 0xd800U && *point <= 0xdfffU;
  return *point < kLeast[size] || *point > 0x10ffffU || surrogate ? 0 : size;
}

/// What some reader takes for a line's end, a mark or nothing at all: written as an escape.
bool needs_escape(std::uint32_t point) {
  return point < 0x20U || (point >= 0x7fU && point < 0xa0U) || point == 0x2028U ||
         point == 0x2029U || point == 0xfeffU || point == 0xfffeU || point == 0xffffU;
}

std::string escaped(std::uint32_t point) {
  if (point == '\n') return "\\n";
  if (point == '\t') return "\\t";
  if (point == '\r') return "\\r";
  return point < 0x100U ? fmt::format("\\x{:02x}", point) : fmt::format("\\u{:04x}", point);
}

}  // namespace

std::string_view surprise_of(std::string_view word) {
  if (word.size() > kSurpriseBytes) return "";
  static const auto compiled = [] {
    std::array<std::regex, kSurprises.size()> all;
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i] = std::regex(kSurprises[i].pattern, std::regex::icase | std::regex::optimize);
    }
    return all;
  }();
  for (std::size_t i = 0; i < compiled.size(); ++i) {
    if (std::regex_match(word.begin(), word.end(), compiled[i])) return kSurprises[i].meaning;
  }
  return "";
}

std::string yaml_word(std::string_view text) {
  if (is_plainly_safe(text)) return std::string(text);
  std::string quoted = "\"";
  while (!text.empty()) {
    std::uint32_t point = 0;
    const std::size_t size = decode(text, &point);
    if (size == 0) {
      quoted += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    } else if (needs_escape(point)) {
      quoted += escaped(point);
    } else {
      if (point == '"' || point == '\\') quoted += '\\';
      quoted += text.substr(0, size);
    }
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return quoted + '"';
}

std::optional<std::size_t> find_invalid_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    std::uint32_t point = 0;
    const std::size_t size = decode(text.substr(at), &point);
    if (size == 0) return at;
    at += size;
  }
  return std::nullopt;
}

}  // namespace ringmaster::jobs
