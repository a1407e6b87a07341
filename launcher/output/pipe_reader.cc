// SPDX-License-Identifier: Apache-2.0
#include "launcher/output/pipe_reader.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <string>
#include <utility>

#include "base/check.h"
#include "launcher/clock_text.h"
#include "launcher/output/sink.h"

namespace ringmaster::launcher {

using boost::system::error_code;

namespace {

/// What a pipe holds by default: one read empties it.
constexpr std::size_t kReadMax = 64 * 1024;

}  // namespace

struct PipeReader::State : std::enable_shared_from_this<PipeReader::State> {
  State(boost::asio::io_context& loop, FileDescriptor pipe_, std::vector<Output> outputs_,
        std::function<void()> on_end_, OnBytes on_bytes_)
      : pipe(loop, pipe_.release()),
        flush_timer(loop),
        outputs(std::move(outputs_)),
        on_end(std::move(on_end_)),
        on_bytes(std::move(on_bytes_)) {}

  void next();
  Sink* full_sink() const;
  void read_live();
  void read_rest();
  ssize_t read_once(std::size_t most);
  void deliver(std::string_view bytes);
  void flush(bool all);
  void set_flush_timer();
  void end();
  void cancel();

  boost::asio::posix::stream_descriptor pipe;
  boost::asio::steady_timer flush_timer;
  std::vector<Output> outputs;
  std::function<void()> on_end;
  OnBytes on_bytes;
  std::size_t rest = 0;  // when draining: how much of what was in the pipe is still to be read
  bool draining = false;
  bool waiting = false;  // for the pipe or for room in a sink
  bool timing = false;   // the flush timer runs
  bool ended = false;
};

/// Waits for what comes next. At most one wait is open, so that handlers cannot multiply.
void PipeReader::State::next() {
  if (ended || waiting) return;
  if (Sink* full = full_sink()) {
    waiting = true;
    full->when_room([self = shared_from_this()] {
      self->waiting = false;
      self->draining ? self->read_rest() : self->next();
    });
  } else {
    CHECK(!draining);
    waiting = true;
    pipe.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                    [self = shared_from_this()](const error_code&) {
                      self->waiting = false;
                      self->draining ? self->read_rest() : self->read_live();
                    });
  }
}

Sink* PipeReader::State::full_sink() const {
  for (const auto& output : outputs)
    if (output.sink->full()) return output.sink;
  return nullptr;
}

void PipeReader::State::read_live() {
  if (ended) return;
  const ssize_t size = read_once(kReadMax);
  if (size > 0 || (size < 0 && errno == EAGAIN)) {
    next();
  } else {
    end();
  }
}

void PipeReader::State::read_rest() {
  if (ended) return;
  while (rest > 0) {
    if (full_sink() != nullptr) {
      next();
      return;
    }
    const ssize_t size = read_once(std::min(rest, kReadMax));
    if (size <= 0) break;
    rest -= static_cast<std::size_t>(size);
  }
  end();
}

ssize_t PipeReader::State::read_once(std::size_t most) {
  std::array<char, kReadMax> buffer;
  ssize_t size = 0;
  do {
    size = ::read(pipe.native_handle(), buffer.data(), most);
  } while (size < 0 && errno == EINTR);
  if (size > 0) deliver({buffer.data(), static_cast<std::size_t>(size)});
  return size;
}

void PipeReader::State::deliver(std::string_view bytes) {
  if (on_bytes) on_bytes(bytes);
  // Of all readers, which are of one thread: room for lines with tags that is made only once, as
  // memory of this size goes back to the kernel each time.
  static thread_local std::string lines;
  for (auto& output : outputs) {
    std::string_view left = bytes;
    lines.clear();
    if (output.timed) output.splitter.set_prefix(clock_text_ms() + " " + *output.timed);
    const std::string_view whole = output.splitter.pass(left, lines);
    if (!lines.empty()) output.sink->write(lines);
    if (!whole.empty()) output.sink->write(whole);
    lines.clear();
    output.splitter.feed(left, lines);
    if (!lines.empty()) output.sink->write(lines);
  }
  set_flush_timer();
}

/// The partial lines of `all` outputs, or of those that are watched.
void PipeReader::State::flush(bool all) {
  for (auto& output : outputs) {
    if (!all && !output.eager) continue;
    std::string piece;
    output.splitter.flush(piece);
    if (!piece.empty()) output.sink->write(piece);
  }
}

/// Runs from the first byte of a partial line: one that grows byte by byte is shown, too.
void PipeReader::State::set_flush_timer() {
  const bool partial = std::any_of(outputs.begin(), outputs.end(), [](const Output& output) {
    return output.eager && output.splitter.has_partial();
  });
  if (!partial || timing) return;
  timing = true;
  flush_timer.expires_after(kFlushAfter);
  flush_timer.async_wait([self = shared_from_this()](const error_code& error) {
    self->timing = false;
    if (error || self->ended) return;
    self->flush(false);
  });
}

void PipeReader::State::end() {
  flush(true);
  cancel();
  if (const auto tell = std::exchange(on_end, nullptr)) tell();
}

void PipeReader::State::cancel() {
  ended = true;
  error_code ignored;
  pipe.close(ignored);
  flush_timer.cancel();
}

PipeReader::PipeReader(boost::asio::io_context& loop, FileDescriptor pipe,
                       std::vector<Output> outputs, std::function<void()> on_end,
                       OnBytes on_bytes) {
  CHECK(pipe.valid());
  CHECK_EQ(::fcntl(pipe.get(), F_SETFL, O_NONBLOCK), 0);  // our end: nobody shares it
  state_ = std::make_shared<State>(loop, std::move(pipe), std::move(outputs), std::move(on_end),
                                   std::move(on_bytes));
  state_->next();
}

PipeReader::PipeReader(PipeReader&&) noexcept = default;

PipeReader& PipeReader::operator=(PipeReader&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}

PipeReader::~PipeReader() {
  if (!state_) return;
  state_->on_end = nullptr;
  state_->cancel();
}

void PipeReader::drain() {
  if (state_->ended || state_->draining) return;
  int size = 0;
  if (::ioctl(state_->pipe.native_handle(), FIONREAD, &size) != 0) size = 0;
  state_->rest = static_cast<std::size_t>(size);
  state_->draining = true;
  // A wait for the pipe is cut short; one for room in a sink goes on. Either leads to read_rest.
  CHECK(state_->waiting);
  error_code ignored;
  state_->pipe.cancel(ignored);
}

bool PipeReader::ended() const {
  return state_->ended;
}

}  // namespace ringmaster::launcher
