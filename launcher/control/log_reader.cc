// SPDX-License-Identifier: Apache-2.0
#include "launcher/control/log_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/file_descriptor.h"
#include "launcher/host/state_home.h"

namespace ringmaster::launcher {

namespace {

constexpr std::size_t kPieceMax = 4 * 1024 * 1024;

/// The oldest part of a long log is a hole: goes to the first whole line behind it, and says so.
std::string skip_hole(int file, std::int64_t& offset) {
  const off_t data = ::lseek(file, offset, SEEK_DATA);
  if (data <= offset) return "";  // no hole here, nothing new, or a file system without holes
  std::array<char, 4096> block;
  const ssize_t size = ::pread(file, block.data(), block.size(), data);
  const std::string_view text(block.data(), static_cast<std::size_t>(std::max<ssize_t>(0, size)));
  const std::size_t line = text.find('\n');
  const std::int64_t to = data + static_cast<off_t>(line == text.npos ? 0 : line + 1);
  std::string note = fmt::format("[{} bytes lost: output is kept up to a size]\n", to - offset);
  offset = to;
  return note;
}

/// Appends at most `most` bytes of the part from the stream's offset on. False when there is more.
bool read_part(const jobs::LogPart& part, std::size_t most, std::int64_t& offset,
               std::string& text) {
  const FileDescriptor file(::open(part.path.c_str(), O_RDONLY | O_CLOEXEC));
  std::int64_t at = offset - part.start;
  text += skip_hole(file.get(), at);
  std::string piece(most, '\0');
  const ssize_t size = ::pread(file.get(), piece.data(), piece.size(), at);
  piece.resize(static_cast<std::size_t>(std::max<ssize_t>(0, size)));
  text += piece;
  offset = part.start + at + static_cast<std::int64_t>(piece.size());
  return piece.size() < most;
}

/// What the host of the stream calls itself: a stream that was sent has its number behind that.
std::string stream_host(const jobs::LogStream& stream) {
  return stream.sent ? stream.name.substr(0, stream.name.rfind('-')) : stream.name;
}

}  // namespace

std::string with_host(std::string_view text, std::string_view host, bool in_line) {
  std::string result;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1);
    const std::size_t digits = line.find_first_not_of("0123456789", 1);
    const bool tagged = !in_line && line.front() == '[' && digits > 1 && digits < line.size() &&
                        line.substr(digits).starts_with("] ");
    if (tagged) {
      result += fmt::format("[{}:", host);
      result += line.substr(1);
    } else {
      result += line;
    }
    in_line = line.back() != '\n';
    text.remove_prefix(line.size());
  }
  return result;
}

std::string LogReader::next() {
  return read(true);
}
std::string LogReader::rest() {
  return read(true) + read(false);
}

std::string LogReader::read(bool whole_lines) {
  std::string text;
  const auto streams = jobs::list_log_streams(folder_);
  if (streams.size() > 1) name_hosts();
  for (const jobs::LogStream& stream : streams) {
    At& at = streams_[stream.name];
    const bool in_line = at.in_line;
    std::string piece = read_stream(stream, whole_lines, at);
    if (names_hosts_) piece = with_host(piece, stream_host(stream), in_line);
    text += piece;
  }
  return text;
}

std::string LogReader::read_stream(const jobs::LogStream& stream, bool whole_lines, At& at) {
  std::string text;
  std::size_t fixed = 0;  // so much of it is given, whole lines or not
  const auto end_line = [&] {
    const bool in_line = text.empty() ? at.in_line : text.back() != '\n';
    if (in_line) text += '\n';
  };
  bool all = true;
  for (std::size_t i = 0; all && i < stream.parts.size(); ++i) {
    const jobs::LogPart& part = stream.parts[i];
    if (i + 1 < stream.parts.size() && at.offset >= stream.parts[i + 1].start) continue;
    if (at.offset < part.start) {  // what was before it is gone
      end_line();
      text += fmt::format("[{} bytes lost: output is kept up to a size]\n", part.start - at.offset);
      at.offset = part.start;
      fixed = text.size();
    }
    if (text.size() - fixed >= kPieceMax) break;
    all = read_part(part, kPieceMax - (text.size() - fixed), at.offset, text);
  }
  const bool ends = all && !stream.end.empty() && !at.ended;
  // A line under way stays for the next look, unless nothing comes or it is longer than a piece.
  if (whole_lines && !ends && text.size() - fixed < kPieceMax) {
    const std::size_t last = text.rfind('\n');
    const std::size_t given = std::max(fixed, last == std::string::npos ? 0 : last + 1);
    at.offset -= static_cast<std::int64_t>(text.size() - given);
    text.resize(given);
  }
  if (ends) {
    const std::string why = read_small_file(stream.end);
    if (!why.empty()) end_line();
    text += why;
    at.ended = true;
  }
  if (!text.empty()) at.in_line = text.back() != '\n';
  return text;
}

bool LogReader::complete() const {
  const auto streams = jobs::list_log_streams(folder_);
  return std::none_of(streams.begin(), streams.end(), [](const jobs::LogStream& stream) {
    return stream.sent && stream.end.empty();
  });
}

}  // namespace ringmaster::launcher
