// SPDX-License-Identifier: Apache-2.0
#include "launcher/pmix/report_writer.h"

#include <sys/socket.h>

#include <cerrno>

namespace ringmaster::launcher::pmix {

namespace {

int report_fd = -1;

}  // namespace

void open_reports(int fd) {
  report_fd = fd;
}

void report(Report kind, const std::string& text) {
  std::string bytes(1, static_cast<char>(kind));
  bytes += text;
  bytes += '\0';
  std::size_t at = 0;
  while (at < bytes.size()) {
    const ssize_t size = ::send(report_fd, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return;
    at += static_cast<std::size_t>(size);
  }
}

}  // namespace ringmaster::launcher::pmix
