// SPDX-License-Identifier: Apache-2.0
#include "storage/file/temporary_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace ringmaster::storage {

namespace fs = std::filesystem;

namespace {

constexpr int kMakeTriesMax = 16;            // each lost one means a sweep at that very moment
constexpr std::size_t kWriteMax = 64 << 20;  // a single write() of Linux ends below 2 GiB

/// Locks the file. False: a sweeper was quicker, and the file has no name any more, or soon none.
Result<bool> lock_named(int fd, const std::string& name) {
  struct stat facts {};
  if (::flock(fd, LOCK_EX | LOCK_NB) == 0) {
    return ::fstat(fd, &facts) == 0 && facts.st_nlink > 0;
  }
  if (errno == EWOULDBLOCK || errno == EINTR) return false;
  return disk_error(errno, fmt::format("lock {}", name));
}

Result<void> write_all(int fd, std::string_view bytes, const fs::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), std::min(bytes.size(), kWriteMax));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return disk_error(errno, fmt::format("write {}", path.string()));
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

}  // namespace

Error disk_error(int error_number, std::string message) {
  Error error = errno_error(error_number, std::move(message));
  if (error_number == EDQUOT || error_number == EFBIG) error.code = Errc::exhausted;
  if (error_number == EROFS) error.code = Errc::denied;
  return error;
}

Result<TemporaryFile> TemporaryFile::make(const fs::path& folder) {
  std::error_code code;
  fs::create_directory(folder, code);
  if (code) return disk_error(code.value(), fmt::format("make the folder {}", folder.string()));
  for (int i = 0; i < kMakeTriesMax; ++i) {
    std::string name = folder / "XXXXXX";
    FileDescriptor fd(::mkostemp(name.data(), O_CLOEXEC));
    if (!fd.valid()) return disk_error(errno, fmt::format("make a file in {}", folder.string()));
    // Between these two lines a sweeper may take the file for a dead one's: then make another.
    const auto locked = lock_named(fd.get(), name);
    if (locked && *locked) return TemporaryFile(name, std::move(fd));
    if (!locked) {
      ::unlink(name.c_str());
      return locked.error();
    }
  }
  return Error{Errc::exhausted, fmt::format("make a file in {}: each one was swept, {} times",
                                            folder.string(), kMakeTriesMax)};
}

TemporaryFile::TemporaryFile(TemporaryFile&& other) noexcept
    : path_(std::exchange(other.path_, {})), fd_(std::move(other.fd_)) {}

TemporaryFile::~TemporaryFile() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

Result<void> TemporaryFile::write(const Pieces& pieces) {
  for (const std::string_view piece : pieces) {
    if (auto written = write_all(fd_.get(), piece, path_); !written) return written;
  }
  constexpr mode_t kMode = 0644;  // as other programs would make it: mkostemp gives 0600
  if (::fchmod(fd_.get(), kMode) != 0 || ::fsync(fd_.get()) != 0) {
    return disk_error(errno, fmt::format("flush {}", path_.string()));
  }
  return {};
}

Result<bool> TemporaryFile::link_to(const fs::path& path) {
  CHECK(fd_.valid());
  if (::link(path_.c_str(), path.c_str()) == 0) return true;
  const int error_number = errno;
  if (error_number == ENOENT) return false;
  struct stat facts {};
  // A network file system may have done it and lost the answer: then the file has two names.
  if (error_number == EEXIST && ::fstat(fd_.get(), &facts) == 0 && facts.st_nlink == 2) return true;
  if (error_number == EEXIST) {
    return Error{Errc::exists, fmt::format("create {}: it is there already", path.string())};
  }
  return disk_error(error_number, fmt::format("create {}", path.string()));
}

Result<bool> TemporaryFile::rename_to(const fs::path& path) {
  CHECK(fd_.valid());
  if (::rename(path_.c_str(), path.c_str()) == 0) {
    path_.clear();
    return true;
  }
  if (errno == ENOENT) return false;
  return disk_error(errno, fmt::format("write {}", path.string()));
}

void sweep_temporary_files(const fs::path& folder) {
  std::error_code code;
  for (fs::directory_iterator at(folder, code), end; !code && at != end; at.increment(code)) {
    const FileDescriptor fd(::open(at->path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (fd.valid() && ::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) ::unlink(at->path().c_str());
  }
}

Result<void> flush_folder(const fs::path& folder) {
  const FileDescriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid() && errno == ENOENT) return {};  // somebody emptied it and tidied it away
  if (!fd.valid() || ::fsync(fd.get()) != 0) {
    return disk_error(errno, fmt::format("flush the folder {}", folder.string()));
  }
  return {};
}

}  // namespace ringmaster::storage
