// SPDX-License-Identifier: Apache-2.0
#include "launcher/contracts/error_file.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <nlohmann/json.hpp>

namespace ringmaster::launcher {

namespace {

constexpr std::size_t kErrorFileBytesMax = 256 * 1024;

/// The text of a member, "" when it is none.
std::string text_in(const nlohmann::json& object, const char* name) {
  const auto at = object.find(name);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

std::string without_breaks(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  return text;
}

std::string last_lines(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  std::size_t start = text.size();
  for (std::size_t lines = 0; lines < kTracebackLines && start != std::string_view::npos; ++lines) {
    start = start == 0 ? std::string_view::npos : text.rfind('\n', start - 1);
  }
  return std::string(start == std::string_view::npos ? text : text.substr(start + 1));
}

/// Seconds are a number, or text with one, as torch's versions differ.
std::optional<std::int64_t> seconds_in(const nlohmann::json& object) {
  const auto at = object.find("timestamp");
  if (at == object.end()) return std::nullopt;
  if (at->is_number_integer()) return at->get<std::int64_t>();
  const std::string text = text_in(object, "timestamp");
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc{} || text.empty()) return std::nullopt;
  return seconds;
}

}  // namespace

std::optional<ErrorReport> parse_error_file(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  ErrorReport report;
  const auto message = json.find("message");
  if (message == json.end()) return std::nullopt;
  if (message->is_object()) {
    report.message = text_in(*message, "message");
    const auto more = message->find("extraInfo");
    if (more != message->end() && more->is_object()) {
      report.traceback = last_lines(text_in(*more, "py_callstack"));
      report.seconds = seconds_in(*more);
    }
  } else {
    report.message = text_in(json, "message");
    report.seconds = seconds_in(json);
  }
  report.message = without_breaks(std::move(report.message));
  if (report.message.empty()) return std::nullopt;
  return report;
}

std::optional<ErrorReport> read_error_file(const std::string& path) {
  if (path.empty()) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  std::string text(kErrorFileBytesMax, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return parse_error_file(text);
}

}  // namespace ringmaster::launcher
