// SPDX-License-Identifier: Apache-2.0
#include "launcher/host/log_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

namespace ringmaster::launcher {

namespace {

constexpr std::int64_t kBlock = 4096;  // holes are made of whole blocks
constexpr std::int64_t kLineMax = 64 * 1024;

}  // namespace

std::string log_path(const std::string& folder, const std::string& host) {
  return fmt::format("{}/{}.log", folder, host);
}

Result<FileDescriptor> open_log_file(const std::string& folder, const std::string& host) {
  std::error_code ignored;  // opening fails, and says more
  std::filesystem::create_directories(folder, ignored);
  const std::string path = log_path(folder, host);
  FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!file.valid()) return errno_error(errno, path);
  return file;
}

Result<FileDescriptor> make_unnamed(const std::string& folder) {
  std::error_code ignored;  // making the file fails, and says more
  std::string path =
      folder.empty() ? std::filesystem::temp_directory_path(ignored).string() : folder;
  std::filesystem::create_directories(path, ignored);
  path += "/ringmaster-output-XXXXXX";
  FileDescriptor file(::mkostemp(path.data(), O_APPEND | O_CLOEXEC));
  if (!file.valid()) return errno_error(errno, fmt::format("make a file for output in {}", path));
  ::unlink(path.c_str());
  return file;
}

std::string path_of(const FileDescriptor& file) {
  return fmt::format("/proc/self/fd/{}", file.get());
}

std::int64_t size_of(const std::string& path) {
  struct stat info = {};
  return ::stat(path.c_str(), &info) == 0 ? info.st_size : 0;
}

std::string read_piece(const std::string& path, std::int64_t offset, std::int64_t size) {
  std::string piece(static_cast<std::size_t>(size), '\0');
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const ssize_t got = ::pread(file.get(), piece.data(), piece.size(), offset);
  piece.resize(static_cast<std::size_t>(std::max<ssize_t>(0, got)));
  return piece;
}

Result<void> drop_before(const std::string& path, std::int64_t offset) {
  const std::int64_t end = offset / kBlock * kBlock;
  if (end <= 0) return {};
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.valid()) return errno_error(errno, path);
  // A hole, not a new file: readers and the writer keep their offsets.
  if (::fallocate(file.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, end) == 0) return {};
  return errno_error(errno, fmt::format("drop the oldest part of {}", path));
}

Result<std::int64_t> trim_file(const std::string& path, std::int64_t most, std::int64_t least) {
  struct stat info = {};
  if (::stat(path.c_str(), &info) != 0) return errno_error(errno, path);
  // Bytes on disk: what was given back before does not count.
  if (info.st_blocks * 512 <= most) return 0;
  const std::int64_t end = (info.st_size - least) / kBlock * kBlock;
  if (auto dropped = drop_before(path, end); !dropped) return dropped.error();
  const std::size_t line = read_piece(path, end, kLineMax).find('\n');
  return end + (line == std::string::npos ? 0 : static_cast<std::int64_t>(line) + 1);
}

}  // namespace ringmaster::launcher
