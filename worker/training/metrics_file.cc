// SPDX-License-Identifier: Apache-2.0
#include "worker/training/metrics_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace ringmaster::training {

Result<MetricsFile> MetricsFile::open(const std::string& path) {
  MetricsFile file;
  if (path.empty()) return file;
  file.path_ = path;
  file.fd_.reset(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666));
  if (!file.fd_.valid()) return errno_error(errno, fmt::format("open metrics file {}", path));
  return file;
}

Result<void> MetricsFile::empty() {
  struct stat status {};
  if (!wanted() || ::fstat(fd_.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  if (::ftruncate(fd_.get(), 0) == 0) return {};
  return errno_error(errno, fmt::format("truncate metrics file {}", path_));
}

Result<void> MetricsFile::append(std::string_view line) {
  if (!wanted()) return {};
  for (;;) {
    const ssize_t written = ::write(fd_.get(), line.data(), line.size());
    if (written == static_cast<ssize_t>(line.size())) return {};
    if (written < 0 && errno == EINTR) continue;
    // The rest of a line written alone could land behind another rank's line: give up instead.
    return errno_error(written < 0 ? errno : ENOSPC, fmt::format("write metrics file {}", path_));
  }
}

}  // namespace ringmaster::training
