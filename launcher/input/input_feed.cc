// SPDX-License-Identifier: Apache-2.0
#include "launcher/input/input_feed.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <csignal>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/file_descriptor.h"

namespace ringmaster::launcher {

namespace {

using Stream = boost::asio::posix::stream_descriptor;
using boost::system::error_code;

/// Whether reading the terminal would not stop us: its group in front is ours, or it is not the
/// one that controls us.
bool in_front(int terminal) {
  const pid_t front = ::tcgetpgrp(terminal);
  return front < 0 || front == ::getpgrp();
}

}  // namespace

struct InputFeed::State : std::enable_shared_from_this<InputFeed::State> {
  /// A process that reads what we write.
  struct Taker {
    std::optional<Stream> pipe;  // none: it has closed its end
    std::size_t taken = 0;       // of the piece
  };

  State(boost::asio::io_context& loop_, InputWish wish_, int source_)
      : loop(loop_), wish(wish_), source(source_), readable(loop_), again(loop_) {}

  void watch();
  Result<int> open_pipe(int rank);
  void next();
  void wait();
  void look_again();
  void read();
  void push(int rank);
  bool all_have_taken() const;
  void end();

  boost::asio::io_context& loop;
  InputWish wish;
  int source;
  bool copies = false;  // ranks get pipes of ours
  bool terminal = false;
  /// An epoll set that holds the source (sink.cc says why); not open: a file, always readable.
  Stream readable;
  boost::asio::steady_timer again;
  std::string piece;
  std::map<int, Taker> takers;
  bool waiting = false;  // for the source
  bool ended = false;
};

void InputFeed::State::watch() {
  terminal = ::isatty(source) == 1;
  copies = wish.all || (terminal && wish.rank);
  if (!copies) return;
  if (terminal) std::signal(SIGTTIN, SIG_IGN);  // between our look and our read we may be put back
  FileDescriptor set(::epoll_create1(EPOLL_CLOEXEC));
  epoll_event event = {.events = EPOLLIN, .data = {.fd = source}};
  if (!set.valid() || ::epoll_ctl(set.get(), EPOLL_CTL_ADD, source, &event) != 0) return;
  readable.assign(set.release());
}

Result<int> InputFeed::State::open_pipe(int rank) {
  if (ended) return -1;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return errno_error(errno, "make a pipe for standard input");
  auto theirs = std::make_shared<FileDescriptor>(ends[0]);
  CHECK_EQ(::fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
  Taker& taker = takers.try_emplace(rank).first->second;
  taker.pipe.emplace(loop, ends[1]);
  // When the loop goes on, the process has its own.
  boost::asio::post(loop, [self = shared_from_this(), theirs, rank] {
    theirs->reset();
    if (!self->ended) self->push(rank);
  });
  return theirs->get();
}

bool InputFeed::State::all_have_taken() const {
  bool any = false;
  for (const auto& [rank, taker] : takers) {
    if (!taker.pipe) continue;
    if (taker.taken < piece.size()) return false;
    any = true;
  }
  return any;
}

/// Waits for the next piece, when the last one is gone. At most one wait is open.
void InputFeed::State::next() {
  if (ended || waiting || !all_have_taken()) return;
  waiting = true;
  if (terminal && !in_front(source)) {
    look_again();
  } else {
    wait();
  }
}

void InputFeed::State::wait() {
  if (!readable.is_open()) {
    boost::asio::post(loop, [self = shared_from_this()] { self->read(); });
    return;
  }
  readable.async_wait(Stream::wait_read, [self = shared_from_this()](const error_code& code) {
    if (!code) self->read();
  });
}

void InputFeed::State::look_again() {
  again.expires_after(kLookAgain);
  again.async_wait([self = shared_from_this()](const error_code& code) {
    if (code || self->ended) return;
    self->waiting = false;
    self->next();
  });
}

void InputFeed::State::read() {
  waiting = false;
  if (ended) return;
  if (terminal && !in_front(source)) return next();
  piece.resize(kPieceMax);
  const ssize_t size = ::read(source, piece.data(), piece.size());
  const int error = errno;
  piece.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  for (auto& [rank, taker] : takers) taker.taken = 0;
  if (size > 0) {
    for (auto& [rank, taker] : takers) push(rank);
  } else if (size < 0 && (error == EINTR || error == EAGAIN)) {
    next();
  } else if (size < 0 && error == EIO && terminal && !in_front(source)) {
    next();
  } else {
    end();
  }
}

void InputFeed::State::push(int rank) {
  Taker& taker = takers.at(rank);
  while (taker.pipe && taker.taken < piece.size()) {
    const ssize_t size = ::write(taker.pipe->native_handle(), piece.data() + taker.taken,
                                 piece.size() - taker.taken);
    if (size >= 0) {
      taker.taken += static_cast<std::size_t>(size);
    } else if (errno == EAGAIN) {
      taker.pipe->async_wait(Stream::wait_write,
                             [self = shared_from_this(), rank](const error_code& code) {
                               if (!code && !self->ended) self->push(rank);
                             });
      return;
    } else if (errno != EINTR) {
      taker.pipe.reset();  // it listens no more
    }
  }
  next();
}

void InputFeed::State::end() {
  ended = true;
  takers.clear();
  error_code ignored;
  readable.close(ignored);
  again.cancel();
}

InputFeed::InputFeed(boost::asio::io_context& loop, InputWish wish, int source)
    : state_(std::make_shared<State>(loop, wish, source)) {
  state_->watch();
}

InputFeed::~InputFeed() {
  state_->end();
}

Result<int> InputFeed::give(int rank) {
  const bool wanted = state_->wish.all || state_->wish.rank == rank;
  if (!wanted || ::fcntl(state_->source, F_GETFD) < 0) return -1;
  if (!state_->copies) return state_->source;
  return state_->open_pipe(rank);
}

}  // namespace ringmaster::launcher
