// SPDX-License-Identifier: Apache-2.0
#include "launcher/control/log_reader.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

namespace ringmaster::launcher {

namespace {

constexpr std::size_t kPieceMax = 4 * 1024 * 1024;

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
    std::ifstream file(path, std::ios::binary);
    file.seekg(offset);
    std::string piece(kPieceMax, '\0');
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    piece.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, file.gcount())));
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
