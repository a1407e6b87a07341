// SPDX-License-Identifier: Apache-2.0
#include "launcher/hostlist/read_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/file_descriptor.h"

namespace ringmaster::launcher::hostlist {

namespace {

constexpr std::size_t kPieceBytes = 1 << 16;

Error error_of(int number) {
  return {errno_error(number, "").code, std::strerror(number)};
}

Result<std::string> read_all(int fd) {
  std::string text;
  while (true) {
    const std::size_t size = text.size();
    text.resize(size + kPieceBytes);
    const ssize_t got = ::read(fd, text.data() + size, kPieceBytes);
    if (got < 0 && errno != EINTR) return error_of(errno);
    text.resize(size + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0) return text;
    if (text.size() > kTextMax) {
      return Error{Errc::invalid, fmt::format("more than {} bytes", kTextMax)};
    }
  }
}

}  // namespace

Result<Source> read_source(const std::string& path) {
  FileDescriptor opened;
  int fd = STDIN_FILENO;
  if (path != "-") {
    opened = FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!opened.valid()) return error_of(errno);
    fd = opened.get();
    struct stat facts {};
    if (::fstat(fd, &facts) != 0) return error_of(errno);
    if (S_ISDIR(facts.st_mode)) return error_of(EISDIR);
  }
  auto text = read_all(fd);
  if (!text) return text.error();
  return Source{.name = path, .text = std::move(*text)};
}

}  // namespace ringmaster::launcher::hostlist
