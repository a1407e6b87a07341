// SPDX-License-Identifier: Apache-2.0
#include "collectives/tensors/timeline.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace ringmaster::collectives {

namespace {

constexpr std::size_t kGatheredMost = 32 * 1024;
constexpr Duration kGatherTime = std::chrono::milliseconds(100);
constexpr std::string_view kEnd = "\n]\n";

double to_microseconds(Time time) {
  return static_cast<double>(time.time_since_epoch().count()) / 1e3;
}

std::string quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      quoted += fmt::format("\\u{:04x}", static_cast<int>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

/// Takes the end off a file that goes on. Whether it has events.
Result<bool> reopen_array(int fd, const std::string& path) {
  struct stat status {};
  if (fstat(fd, &status) != 0) return errno_error(errno, "look at timeline " + path);
  const auto tail = static_cast<off_t>(kEnd.size());
  if (status.st_size < tail) return false;
  char read[kEnd.size()];
  const auto got = pread(fd, read, kEnd.size(), status.st_size - tail);
  if (got != static_cast<ssize_t>(kEnd.size())) return errno_error(errno, "read timeline " + path);
  if (std::string_view(read, kEnd.size()) == kEnd && ftruncate(fd, status.st_size - tail) != 0) {
    return errno_error(errno, "shorten timeline " + path);
  }
  return true;
}

}  // namespace

Result<std::unique_ptr<Timeline>> Timeline::open(const std::string& path, int rank, bool append) {
  const int flags = O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | (append ? 0 : O_TRUNC);
  FileDescriptor fd(::open(path.c_str(), flags, 0666));
  if (!fd.valid()) return errno_error(errno, "open timeline " + path);
  bool has_events = false;
  if (append) {
    auto reopened = reopen_array(fd.get(), path);
    if (!reopened) return reopened.error();
    has_events = *reopened;
  }
  std::unique_ptr<Timeline> timeline(new Timeline(std::move(fd), path, rank, !has_events));
  auto begun = timeline->flush();
  if (!begun) return begun.error();
  return timeline;
}

Timeline::Timeline(FileDescriptor fd, std::string path, int rank, bool first)
    : fd_(std::move(fd)), path_(std::move(path)), rank_(rank), first_(first) {
  add(fmt::format(R"({{"name":"process_name","ph":"M","pid":{},"args":{{"name":"rank {}"}}}})",
                  rank_, rank_));
}

Timeline::~Timeline() {
  lines_ += kEnd;
  write_out();
}

int Timeline::row_of(std::string_view row) {
  const bool full = rows_.size() >= kRowsMost;
  const auto found = rows_.find(full ? "others" : row);
  if (found != rows_.end()) return found->second;
  const int number = static_cast<int>(rows_.size()) + 1;
  const std::string_view name = full ? "others" : row;
  rows_.emplace(name, number);
  add(fmt::format(R"({{"name":"thread_name","ph":"M","pid":{},"tid":{},"args":{{"name":{}}}}})",
                  rank_, number, quoted(name)));
  return number;
}

void Timeline::span(std::string_view row, std::string_view what, Time begin, Time end,
                    std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto known = rows_.find(row);
  const int number = known != rows_.end() ? known->second : row_of(row);
  add(fmt::format(R"({{"name":{},"ph":"X","ts":{:.3f},"dur":{:.3f},"pid":{},"tid":{}{}}})",
                  quoted(what), to_microseconds(begin), to_milliseconds(end - begin) * 1e3, rank_,
                  number, bytes > 0 ? fmt::format(R"(,"args":{{"bytes":{}}})", bytes) : ""));
  if (lines_.size() >= kGatheredMost || end - written_ > kGatherTime) write_out();
}

void Timeline::moment(std::string_view what, Time when) {
  const std::lock_guard lock(mutex_);
  add(fmt::format(R"({{"name":{},"ph":"i","s":"p","ts":{:.3f},"pid":{},"tid":0}})", quoted(what),
                  to_microseconds(when), rank_));
  write_out();
}

Result<void> Timeline::flush() {
  const std::lock_guard lock(mutex_);
  write_out();
  return status_;
}

void Timeline::add(std::string_view event) {
  lines_ += first_ ? "[\n" : ",\n";
  lines_ += event;
  first_ = false;
}

void Timeline::write_out() {
  written_ = read_clock();
  for (std::string_view left = lines_; status_ && !left.empty();) {
    const ssize_t put = ::write(fd_.get(), left.data(), left.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      status_ = errno_error(errno, "write timeline " + path_);
    } else {
      left.remove_prefix(static_cast<std::size_t>(put));
    }
  }
  lines_.clear();
}

std::string timeline_path(std::string_view pattern, int rank, bool lowest) {
  const std::size_t at = pattern.find("%r");
  if (at == std::string_view::npos) return lowest ? std::string(pattern) : "";
  return fmt::format("{}{}{}", pattern.substr(0, at), rank, pattern.substr(at + 2));
}

}  // namespace ringmaster::collectives
