// SPDX-License-Identifier: Apache-2.0
#include "jobs/spec/scalars.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/settings.h"
#include "jobs/spec/yaml_text.h"

namespace ringmaster::jobs {

namespace {

using Kind = YamlNode::Kind;

SpecError error_at(const Place& place, std::string_view what, std::string why, std::string hint) {
  return {
      .place = place, .what = std::string(what), .why = std::move(why), .hint = std::move(hint)};
}

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// A list, a map or nothing where a single value is wanted.
SpecError no_scalar(const YamlNode& node, std::string_view what, const std::string& takes) {
  const bool empty = node.kind == Kind::nothing;
  const std::string_view kind = node.kind == Kind::list ? "a list" : "a map";
  return error_at(node.place, what,
                  empty ? "there is no value" : fmt::format("{} is wrong here", kind),
                  "it takes " + takes);
}

constexpr std::size_t kShownNumberBytes = 40;

Trouble read_number(const YamlNode& node, const Field& field, std::string_view what, int* target) {
  const std::string takes = takes_text(field);
  if (node.kind != Kind::scalar) return no_scalar(node, what, takes);
  const char* end_of_text = node.text.data() + node.text.size();
  std::int64_t number = 0;
  const auto [end, code] = std::from_chars(node.text.data(), end_of_text, number);
  const bool whole = code != std::errc::invalid_argument && end == end_of_text;
  const bool plain = whole && surprise_of(node.text).empty() && node.text != "-0";
  if (!plain) {
    // Unquoted, it has no control characters: shown as it stands there.
    const bool short_one = !node.quoted && node.text.size() <= kShownNumberBytes;
    const std::string said = short_one ? node.text : shown(node.text);
    return error_at(node.place, what, fmt::format("{} is no whole number", said),
                    "it takes " + takes);
  }
  if (node.quoted) {
    return error_at(node.place, what, fmt::format("\"{}\" in quotes is a text", shown(node.text)),
                    "leave the quotes out");
  }
  if (code != std::errc{} || number < field.low || number > field.high) {
    return error_at(node.place, what, fmt::format("{} is out of bounds", shown(node.text)),
                    "it takes " + takes);
  }
  *target = static_cast<int>(number);
  return {};
}

Trouble read_name(const YamlNode& node, const Field& field, std::string_view what,
                  std::string* target) {
  auto text = read_text(node, what);
  if (!text) return text.error();
  const auto fits = [](char c) {
    return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.';
  };
  const auto size = static_cast<std::int64_t>(text->size());
  const auto bad = std::ranges::find_if_not(*text, fits);
  std::string why;
  if (size < field.low) {
    why = "it is empty";
  } else if (bad != text->end()) {
    why = fmt::format("{} has a character that no name has", shown(*text));
  } else if (size > field.high) {
    why = fmt::format("it has {} characters", size);
  } else if (!is_letter_or_digit(text->front())) {
    why = fmt::format("{} does not begin with a letter or digit", shown(*text));
  }
  if (!why.empty()) return error_at(node.place, what, why, "it takes " + takes_text(field));
  *target = *text;
  return {};
}

/// A value that no choice of `field` is; `place` is where it stands.
SpecError no_choice(const Place& place, const Field& field, std::string_view what,
                    const std::string& value) {
  if (is_choice(planned_choices(), field.name, value)) {
    return error_at(place, what, fmt::format("{} is not built yet", value),
                    "it takes " + takes_text(field));
  }
  Words all = values_of(built_choices(), field.name);
  for (std::string& planned : values_of(planned_choices(), field.name)) all.push_back(planned);
  const std::string near = suggest(value, all);
  const std::string_view kind = field.takes == Takes::location ? "store" : "choice";
  return error_at(place, what, fmt::format("there is no {} {}", kind, shown(value)),
                  near.empty() ? "it takes " + takes_text(field) : "did you mean " + near + "?");
}

Trouble read_choice(const YamlNode& node, const Field& field, std::string_view what,
                    std::string* target) {
  if (node.kind == Kind::list) {
    for (const YamlNode& child : node.children) {
      auto text = read_text(child, what);
      if (!text) return text.error();
      if (!is_choice(built_choices(), field.name, *text)) {
        return no_choice(child.place, field, what, *text);
      }
    }
    return error_at(node.place, what, "a list of them is not built yet", "write one of them");
  }
  auto text = read_text(node, what);
  if (!text) return text.error();
  if (!is_choice(built_choices(), field.name, *text)) {
    return no_choice(node.place, field, what, *text);
  }
  *target = *text;
  return {};
}

/// A command that was written as one text: shows it as a list when its words are sure.
SpecError no_list(const YamlNode& node, std::string_view what) {
  if (node.kind != Kind::scalar) return no_scalar(node, what, "a list: [python, train.py]");
  constexpr std::string_view kShell = "\"'\\$`|&;<>(){}[]*?!#~\n";
  constexpr std::size_t kShownBytes = 200;
  const bool sure = node.text.find_first_of(kShell) == std::string::npos &&
                    node.text.find_first_not_of(' ') != std::string::npos &&
                    node.text.size() <= kShownBytes;
  std::string list;
  for (std::size_t at = 0; sure && at < node.text.size();) {
    const std::size_t end = std::min(node.text.find(' ', at), node.text.size());
    if (end > at) list += (list.empty() ? "" : ", ") + yaml_word(node.text.substr(at, end - at));
    at = end + 1;
  }
  return error_at(
      node.place, what, "a text is no list of words, and no shell splits it",
      fmt::format("write {}: [{}]", what, sure ? list : "python, train.py, --epochs, 3"));
}

Trouble read_words(const YamlNode& node, std::string_view what, Words* target) {
  if (node.kind != Kind::list) return no_list(node, what);
  if (node.children.empty()) {
    return error_at(node.place, what, "the list is empty", "its first word is the program");
  }
  for (const YamlNode& child : node.children) {
    auto word = read_text(child, what);
    if (!word) return word.error();
    target->push_back(*word);
  }
  if (target->front().empty()) {
    return error_at(node.children.front().place, what, "the program's name is empty",
                    "the first word is the program");
  }
  return {};
}

/// What is wrong with a variable's name, and what to try.
std::optional<std::pair<std::string, std::string>> name_trouble(const YamlNode& node) {
  constexpr std::array<std::string_view, 6> kOwn = {
      "RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"};
  constexpr std::string_view kOurs = "RINGMASTER_";
  const std::string& name = node.key;
  const auto fits = [](char c) { return is_letter_or_digit(c) || c == '_'; };
  const bool starts =
      !name.empty() && fits(name.front()) && (name.front() < '0' || name.front() > '9');
  if (!starts || !std::ranges::all_of(name, fits)) {
    const bool no_space = name.find(':') != std::string::npos;
    return std::pair(
        fmt::format("{} is no variable's name", shown(name)),
        no_space ? "a space follows the colon" : "letters, digits and _, the first one no digit");
  }
  if (std::ranges::count(kOwn, name) > 0 || name.starts_with(kOurs)) {
    return std::pair(fmt::format("{} is set for each rank by Ringmaster", shown(name)),
                     "leave it out");
  }
  const std::string_view surprise = surprise_of(name);
  if (!node.key_quoted && !surprise.empty()) {
    return std::pair(fmt::format("YAML takes {} for {}", shown(name), surprise),
                     fmt::format("quote it: \"{}\"", name));
  }
  return {};
}

Trouble read_variables(const YamlNode& node, std::string_view what, Variables* target) {
  if (node.kind != Kind::map) return no_scalar(node, what, "a map: {NAME: value}");
  for (const YamlNode& child : node.children) {
    if (const auto bad = name_trouble(child)) {
      return error_at(child.key_place, what, bad->first, bad->second);
    }
    auto text = read_text(child, fmt::format("{}.{}", what, shown(child.key)));
    if (!text) return text.error();
    target->emplace_back(child.key, *text);
  }
  return {};
}

Trouble read_location(const YamlNode& node, const Field& field, std::string_view what,
                      std::string* target) {
  auto text = read_text(node, what);
  if (!text) return text.error();
  const std::string takes = "it takes " + takes_text(field);
  const std::size_t colon = text->find("://");
  if (colon == std::string::npos) {
    const bool path = text->starts_with('/');
    return error_at(node.place, what, fmt::format("{} names no store", shown(*text)),
                    path ? fmt::format("write file://{}", shown(*text)) : takes);
  }
  const std::string scheme = text->substr(0, colon);
  if (!is_choice(built_choices(), field.name, scheme)) {
    return no_choice(node.place, field, what, scheme);
  }
  const std::string path = text->substr(colon + 3);
  if (!path.starts_with('/')) {
    return error_at(node.place, what, fmt::format("{} is no absolute path", shown(path)), takes);
  }
  if (path.find_first_not_of('/') == std::string::npos) {
    return error_at(node.place, what, "the root folder is no place for checkpoints", takes);
  }
  *target = *text;
  return {};
}

Trouble read_period(const YamlNode& node, const Field& field, std::string_view what,
                    Period* target) {
  if (node.kind != Kind::scalar) return no_scalar(node, what, takes_text(field));
  if (is_choice(planned_choices(), field.name, node.text)) {
    return no_choice(node.place, field, what, node.text);
  }
  auto period = parse_period(node.text);
  if (!period) {
    return error_at(node.place, what, period.error().message, "it takes " + takes_text(field));
  }
  *target = *period;
  return {};
}

}  // namespace

SpecResult<std::string> read_text(const YamlNode& node, std::string_view what) {
  if (node.kind == Kind::nothing) {
    return error_at(node.place, what, "there is no value", "an empty text is written \"\"");
  }
  if (node.kind != Kind::scalar) return no_scalar(node, what, "one text");
  const std::string_view surprise = node.quoted ? "" : surprise_of(node.text);
  if (!surprise.empty()) {
    return error_at(node.place, what, fmt::format("YAML takes {} for {}", node.text, surprise),
                    fmt::format("quote it: \"{}\"", node.text));
  }
  if (node.text.find('\0') != std::string::npos) {
    return error_at(node.place, what, "no text holds a zero byte", "leave \\0 out");
  }
  return node.text;
}

Trouble read_value(const YamlNode& node, const Field& field, std::string_view shown_as,
                   const Target& target) {
  switch (field.takes) {
    case Takes::number:
      return read_number(node, field, shown_as, std::get<int*>(target));
    case Takes::name:
      return read_name(node, field, shown_as, std::get<std::string*>(target));
    case Takes::choice:
      return read_choice(node, field, shown_as, std::get<std::string*>(target));
    case Takes::words:
      return read_words(node, shown_as, std::get<Words*>(target));
    case Takes::variables:
      return read_variables(node, shown_as, std::get<Variables*>(target));
    case Takes::location:
      return read_location(node, field, shown_as, std::get<std::string*>(target));
    case Takes::period:
      return read_period(node, field, shown_as, std::get<Period*>(target));
    case Takes::keys:
    case Takes::each:
      break;
  }
  check_failed(__FILE__, __LINE__, "a map of keys has no value");
}

}  // namespace ringmaster::jobs
