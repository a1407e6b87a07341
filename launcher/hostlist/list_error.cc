// SPDX-License-Identifier: Apache-2.0
#include "launcher/hostlist/list_error.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringmaster::launcher::hostlist {

namespace {

constexpr std::size_t kQuotedBytes = 60;  // enough to know it again
constexpr std::size_t kEntryBytes = 256;  // of a line that may have a hundred thousand

std::string escaped_byte(char c) {
  if (c == '\n') return "\\n";
  if (c == '\r') return "\\r";
  if (c == '\t') return "\\t";
  if (c == '"' || c == '\\') return std::string("\\") + c;
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0x20 && byte < 0x7f) return {c};
  return fmt::format("\\x{:02x}", byte);
}

}  // namespace

std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char c : text.substr(0, kQuotedBytes)) result += escaped_byte(c);
  return result + (text.size() > kQuotedBytes ? "\".." : "\"");
}

std::string on_one_line(std::string_view name) {
  const auto breaks = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; };
  return std::ranges::any_of(name, breaks) ? in_quotes(name) : std::string(name);
}

ListError refusal(std::string why, std::string hint) {
  return {.why = std::move(why), .hint = std::move(hint)};
}

ListError ListError::at(const Place& place) const {
  ListError error = *this;
  error.file = place.file;
  error.line = place.line;
  error.entry = place.entry.substr(0, kEntryBytes);
  return error;
}

std::string ListError::message() const {
  std::string text = on_one_line(file);
  if (line > 0) text += fmt::format(":{}", line);
  if (!text.empty()) text += ": ";
  if (!entry.empty()) text += in_quotes(entry) + ": ";
  return text + why;
}

Error ListError::as_error() const {
  return {Errc::invalid, message() + (hint.empty() ? "" : " (" + hint + ")")};
}

}  // namespace ringmaster::launcher::hostlist
