// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/file_descriptor.h"
#include "launcher/doctor/read_facts.h"

namespace ringmaster::launcher::doctor {

namespace {

constexpr std::size_t kXidsMost = 1000;
/// A kernel's log holds at most some 100,000 records; more are those that come while it is read.
constexpr int kRecordsMost = 500'000;
constexpr std::size_t kRecordBytes = 16384;  // the kernel's longest is 8 KiB
constexpr std::size_t kLogBytesMost = 256U << 20;

class XidList {
 public:
  void take(std::string_view record) {
    auto event = parse_xid(record);
    if (!event) return;
    if (events_.size() >= kXidsMost) events_.erase(events_.begin());
    events_.push_back(std::move(*event));
  }
  std::vector<XidEvent> events() && { return std::move(events_); }

 private:
  std::vector<XidEvent> events_;
};

/// A read gives one record, and EAGAIN at the end.
Result<std::vector<XidEvent>> read_records(int fd, const std::string& path) {
  XidList list;
  std::string record(kRecordBytes, '\0');
  for (int i = 0; i < kRecordsMost; ++i) {
    const ssize_t got = ::read(fd, record.data(), record.size());
    if (got > 0) list.take({record.data(), static_cast<std::size_t>(got)});
    if (got == 0 || (got < 0 && errno == EAGAIN)) break;
    // EPIPE: records were overwritten before they were read. The next read goes on behind them.
    if (got < 0 && errno != EPIPE && errno != EINTR) return errno_error(errno, "read " + path);
  }
  return std::move(list).events();
}

Result<std::vector<XidEvent>> read_log_lines(int fd, const std::string& path) {
  XidList list;
  std::string rest;
  for (std::size_t bytes = 0; bytes < kLogBytesMost;) {
    std::array<char, 65536> piece;
    const ssize_t got = ::read(fd, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno_error(errno, "read " + path);
    if (got == 0) break;
    bytes += static_cast<std::size_t>(got);
    rest.append(piece.data(), static_cast<std::size_t>(got));
    std::size_t begin = 0;
    for (std::size_t end = rest.find('\n'); end != std::string::npos;
         end = rest.find('\n', begin)) {
      list.take(std::string_view(rest).substr(begin, end - begin));
      begin = end + 1;
    }
    rest.erase(0, begin);
    if (rest.size() > kRecordBytes) rest.clear();  // no line of a log
  }
  list.take(rest);
  return std::move(list).events();
}

}  // namespace

Result<std::vector<XidEvent>> read_kernel_log(const std::string& path) {
  if (path == "-") return read_log_lines(STDIN_FILENO, "standard input");
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return errno_error(errno, "open " + path);
  const bool device = S_ISCHR(facts.st_mode);
  // The kernel's log has no end: a read there would wait for the next record.
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | (device ? O_NONBLOCK : 0)));
  if (!file.valid()) return errno_error(errno, "open " + path);
  return device ? read_records(file.get(), path) : read_log_lines(file.get(), path);
}

}  // namespace ringmaster::launcher::doctor
