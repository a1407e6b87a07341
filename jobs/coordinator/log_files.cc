// SPDX-License-Identifier: Apache-2.0
#include "jobs/coordinator/log_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "base/whole_number.h"

namespace ringmaster::jobs {

namespace {

constexpr std::size_t kNameMax = 64;

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t number = 0;
  if (!read_whole(text, &number) || number < 0) return std::nullopt;
  return number;
}

}  // namespace

std::vector<LogStream> list_log_streams(const std::string& folder) {
  std::map<std::string, LogStream> streams;
  std::error_code code;
  for (std::filesystem::directory_iterator entry(folder, code), end; !code && entry != end;
       entry.increment(code)) {
    const std::string path = entry->path();
    const std::string extension = entry->path().extension();
    std::string name = entry->path().stem();
    if (extension == ".end") streams[name].end = path;
    if (extension != ".log") continue;
    const std::size_t dot = name.rfind('.');
    const auto start = dot == std::string::npos ? std::nullopt : number_in(name.substr(dot + 1));
    if (start) name.resize(dot);
    LogStream& stream = streams[name];
    stream.sent = start.has_value();
    stream.parts.push_back({start.value_or(0), path});
  }
  std::vector<LogStream> all;
  for (auto& [name, stream] : streams) {
    if (stream.parts.empty()) continue;
    stream.name = name;
    std::sort(stream.parts.begin(), stream.parts.end(),
              [](const LogPart& a, const LogPart& b) { return a.start < b.start; });
    all.push_back(std::move(stream));
  }
  return all;
}

std::string stream_name(const std::string& host_name, HostId host) {
  std::string name = host_name.substr(0, kNameMax);
  for (char& letter : name) {
    const bool plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                       (letter >= '0' && letter <= '9') || letter == '-';
    if (!plain) letter = '_';
  }
  return fmt::format("{}-{}", name, host.value);
}

HostId host_of(const LogStream& stream) {
  if (!stream.sent) return {};
  const auto number = number_in(std::string_view(stream.name).substr(stream.name.rfind('-') + 1));
  return HostId{number.value_or(0)};
}

std::string part_path(const std::string& folder, const std::string& stream, std::int64_t start) {
  return fmt::format("{}/{}.{}.log", folder, stream, start);
}

std::string end_path(const std::string& folder, const std::string& stream) {
  return fmt::format("{}/{}.end", folder, stream);
}

}  // namespace ringmaster::jobs
