// SPDX-License-Identifier: Apache-2.0
#include "launcher/output/sink.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <csignal>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/file_descriptor.h"

namespace ringmaster::launcher {
namespace {

/// How bytes get out without blocking.
enum class Way {
  direct,    // a file or device: write
  own_flag,  // a pipe or terminal opened anew with O_NONBLOCK: write
  socket,    // send with MSG_DONTWAIT
  careful,   // a pipe or terminal that could not be opened anew: ask first, then a little
};

/// PIPE_BUF: what a pipe that is writable takes without blocking.
constexpr std::size_t kCarefulMax = 4096;

struct Opened {
  FileDescriptor fd;
  Way way;
};

Result<Opened> open_anew(int fd, const std::string& name) {
  struct stat info = {};
  if (::fstat(fd, &info) != 0) return errno_error(errno, name);
  const bool terminal = S_ISCHR(info.st_mode) && ::isatty(fd) == 1;
  if (S_ISFIFO(info.st_mode) || terminal) {
    const auto path = fmt::format("/proc/self/fd/{}", fd);
    FileDescriptor own(::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (own.valid()) return Opened{std::move(own), Way::own_flag};
  }
  FileDescriptor copy(::fcntl(fd, F_DUPFD_CLOEXEC, 3));
  if (!copy.valid()) return errno_error(errno, name);
  if (S_ISSOCK(info.st_mode)) return Opened{std::move(copy), Way::socket};
  const bool can_block = S_ISFIFO(info.st_mode) || terminal;
  return Opened{std::move(copy), can_block ? Way::careful : Way::direct};
}

/// As write; EAGAIN when it would block.
ssize_t write_some(const FileDescriptor& fd, Way way, std::string_view bytes) {
  switch (way) {
    case Way::direct:
    case Way::own_flag:
      return ::write(fd.get(), bytes.data(), bytes.size());
    case Way::socket:
      return ::send(fd.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    case Way::careful:
      break;
  }
  pollfd ready = {.fd = fd.get(), .events = POLLOUT, .revents = 0};
  const int count = ::poll(&ready, 1, 0);
  if (count == 0) errno = EAGAIN;
  if (count <= 0) return -1;
  return ::write(fd.get(), bytes.data(), std::min(bytes.size(), kCarefulMax));
}

}  // namespace

struct Sink::State : std::enable_shared_from_this<Sink::State> {
  State(boost::asio::io_context& loop_, Opened opened, std::string_view name_, OnError on_error_)
      : loop(loop_),
        fd(std::move(opened.fd)),
        way(opened.way),
        name(name_),
        on_error(std::move(on_error_)),
        writable(loop_) {}

  std::size_t queued() const { return queue.size() - sent; }

  Result<void> watch();
  void write(std::string_view bytes);
  /// How many of `bytes` went out now; fewer when it would block or failed.
  std::size_t write_now(std::string_view bytes);
  void pump();
  void wait_until_writable();
  void fail(Error error);
  void tell_of_room();
  void close();

  boost::asio::io_context& loop;
  FileDescriptor fd;
  Way way;
  std::string name;
  OnError on_error;
  /// An epoll set of our own that holds `fd`. Asio would set O_NONBLOCK on what it waits for, which
  /// for `fd` may be the shared open file; on the set it harms nobody.
  boost::asio::posix::stream_descriptor writable;
  std::string queue;
  std::size_t sent = 0;  // of `queue`, from its start
  std::vector<std::function<void()>> want_room;
  bool in_line = false;
  bool waiting = false;
  bool failed = false;
  bool closed = false;
};

Result<void> Sink::State::watch() {
  if (way == Way::direct) return {};
  FileDescriptor set(::epoll_create1(EPOLL_CLOEXEC));
  epoll_event event = {.events = EPOLLOUT, .data = {.fd = fd.get()}};
  if (!set.valid() || ::epoll_ctl(set.get(), EPOLL_CTL_ADD, fd.get(), &event) != 0)
    return errno_error(errno, name);
  boost::system::error_code error;
  writable.assign(set.get(), error);
  if (error) return Error{Errc::io, fmt::format("{}: {}", name, error.message())};
  set.release();
  return {};
}

void Sink::State::write(std::string_view bytes) {
  CHECK(!closed);
  if (failed || bytes.empty()) return;
  in_line = bytes.back() != '\n';
  if (queued() == 0) bytes.remove_prefix(write_now(bytes));
  if (bytes.empty() || failed) return;
  queue.append(bytes);
  wait_until_writable();
}

std::size_t Sink::State::write_now(std::string_view bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t size = write_some(fd, way, bytes.substr(done));
    if (size >= 0) {
      done += static_cast<std::size_t>(size);
    } else if (errno != EINTR) {
      if (errno != EAGAIN || way == Way::direct) fail(errno_error(errno, name));
      break;
    }
  }
  return done;
}

void Sink::State::pump() {
  const std::size_t done = write_now(std::string_view(queue).substr(sent));
  if (failed) return;
  sent += done;
  // Moving the rest to the front costs no more than what has been written since the last time.
  if (sent * 2 >= queue.size()) {
    queue.erase(0, sent);
    sent = 0;
  }
  if (queued() <= kQueueMax / 2) tell_of_room();
  if (queued() > 0) wait_until_writable();
}

void Sink::State::wait_until_writable() {
  CHECK(way != Way::direct);
  if (std::exchange(waiting, true)) return;
  writable.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                      [self = shared_from_this()](const boost::system::error_code& error) {
                        self->waiting = false;
                        if (self->closed || self->failed || error) return;
                        self->pump();
                      });
}

void Sink::State::fail(Error error) {
  CHECK(!failed);
  failed = true;
  queue.clear();
  sent = 0;
  tell_of_room();
  boost::asio::post(loop, [self = shared_from_this(), error = std::move(error)] {
    if (!self->closed && self->on_error) self->on_error(error);
  });
}

void Sink::State::tell_of_room() {
  for (auto& callback : std::exchange(want_room, {})) {
    boost::asio::post(loop, [self = shared_from_this(), callback = std::move(callback)] {
      if (!self->closed) callback();
    });
  }
}

void Sink::State::close() {
  closed = true;
  want_room.clear();
  boost::system::error_code ignored;
  writable.close(ignored);
  fd.reset();
}

Sink::Sink(std::shared_ptr<State> state) : state_(std::move(state)) {}
Sink::Sink(Sink&&) noexcept = default;

Sink& Sink::operator=(Sink&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}

Sink::~Sink() {
  if (state_) state_->close();
}

Result<Sink> Sink::open(boost::asio::io_context& loop, int fd, std::string_view name,
                        OnError on_error) {
  // MSG_NOSIGNAL exists for sockets only; for a pipe there is no other way than the disposition.
  std::signal(SIGPIPE, SIG_IGN);
  auto opened = open_anew(fd, std::string(name));
  if (!opened) return opened.error();
  auto state = std::make_shared<State>(loop, std::move(*opened), name, std::move(on_error));
  if (auto watched = state->watch(); !watched) return watched.error();
  return Sink(std::move(state));
}

void Sink::write(std::string_view bytes) {
  state_->write(bytes);
}
bool Sink::full() const {
  return state_->queued() >= kQueueMax;
}
bool Sink::in_line() const {
  return state_->in_line;
}
bool Sink::drained() const {
  return state_->queued() == 0;
}

void Sink::when_room(std::function<void()> callback) {
  state_->want_room.push_back(std::move(callback));
  if (state_->queued() <= kQueueMax / 2) state_->tell_of_room();
}

bool same_target(int fd, int other_fd) {
  struct stat one = {}, other = {};
  if (::fstat(fd, &one) != 0 || ::fstat(other_fd, &other) != 0) return false;
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino && one.st_rdev == other.st_rdev;
}

}  // namespace ringmaster::launcher
