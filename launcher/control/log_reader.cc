// SPDX-License-Identifier: Apache-2.0
#include "launcher/control/log_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <vector>

#include "base/file_descriptor.h"

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
  std::string note = fmt::format("[{} bytes of older output were dropped]\n", to - offset);
  offset = to;
  return note;
}

}  // namespace

std::string LogReader::next() {
  return read(true);
}
std::string LogReader::rest() {
  return read(true) + read(false);
}

std::string LogReader::read(bool whole_lines) {
  std::error_code code;
  std::vector<std::string> files;
  for (std::filesystem::directory_iterator entry(folder_, code), end; !code && entry != end;
       entry.increment(code)) {
    if (entry->path().extension() == ".log") files.push_back(entry->path());
  }
  std::sort(files.begin(), files.end());
  std::string text;
  for (const std::string& path : files) {
    std::int64_t& offset = offsets_[path];
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    text += skip_hole(file.get(), offset);
    std::string piece(kPieceMax, '\0');
    const ssize_t size = ::pread(file.get(), piece.data(), piece.size(), offset);
    piece.resize(static_cast<std::size_t>(std::max<ssize_t>(0, size)));
    // A line under way stays for the next look, unless it is longer than a piece.
    const std::size_t last = piece.rfind('\n');
    if (whole_lines && piece.size() < kPieceMax) {
      piece.resize(last == std::string::npos ? 0 : last + 1);
    }
    offset += static_cast<std::int64_t>(piece.size());
    text += piece;
  }
  return text;
}

}  // namespace ringmaster::launcher
