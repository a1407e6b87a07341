// SPDX-License-Identifier: Apache-2.0
#include "launcher/pmi/message.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringmaster::launcher::pmi {

namespace {

/// What is shown of a line that is wrong: it may be long, and binary.
std::string shown(std::string_view line) {
  constexpr std::size_t kShown = 60;
  std::string text(line.substr(0, kShown));
  for (char& c : text) {
    if (c < 0x20 || c > 0x7e) c = '?';
  }
  return line.size() > kShown ? text + "..." : text;
}

bool is_text(std::string_view line) {
  return std::all_of(line.begin(), line.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte == '\t' || (byte >= 0x20 && byte != 0x7f);
  });
}

}  // namespace

std::optional<std::string_view> Message::find(std::string_view key) const {
  for (const auto& [name_of_word, value] : words) {
    if (name_of_word == key) return value;
  }
  return std::nullopt;
}

std::pair<std::string_view, std::string_view> split_word(std::string_view line) {
  const std::size_t sign = line.find('=');
  if (sign == std::string_view::npos) return {line, {}};
  return {line.substr(0, sign), line.substr(sign + 1)};
}

Result<Message> parse_message(std::string_view line) {
  if (!is_text(line)) return Error{Errc::corrupt, fmt::format("\"{}\" is no text", shown(line))};
  Message message;
  bool named = false;
  for (std::size_t at = line.find_first_not_of(' '); at != std::string_view::npos;
       at = line.find_first_not_of(' ', at)) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    const std::string_view word = line.substr(at, end - at);
    const auto [key, value] = split_word(word);
    if (key.empty() || key.size() == word.size()) {
      return Error{Errc::corrupt, fmt::format("\"{}\": a word without \"=\"", shown(line))};
    }
    if (!named && key != "cmd" && key != "mcmd") break;
    if (named) {
      message.words.emplace_back(key, value);
    } else {
      message.opens = key == "mcmd";
      message.name = value;
      named = true;
    }
    at = end;
  }
  if (!named)
    return Error{Errc::corrupt, fmt::format("\"{}\" does not begin with cmd=", shown(line))};
  return message;
}

}  // namespace ringmaster::launcher::pmi
