// SPDX-License-Identifier: Apache-2.0
//
// Writes to one of our own outputs without ever blocking the loop and without losing a byte.
//
// What cannot be written now is queued; when the queue is full, readers stop reading from their
// ranks until there is room: a slow reader of our output holds the ranks back, as a pipe would.
// Setting O_NONBLOCK on our stdout is the obvious way and wrong: the flag belongs to the open file
// that the shell and other programs share, and breaks them. A pipe or terminal is opened anew
// through /proc/self/fd instead, so that the flag is ours alone; where that is refused, each write
// waits until it is possible and is at most 4 KiB. Files are written directly: they do not block.
//
// Thread rules: the loop's thread only. Opening ignores SIGPIPE for the process (spawn resets it).
// Not here: lines (line_splitter.h) and where bytes come from (pipe_reader.h).
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include "base/result.h"

namespace boost::asio {
class io_context;
}

namespace ringmaster::launcher {

class Sink {
 public:
  /// A reader that is 256 KiB behind is slow, not unlucky: pipes hold 64 KiB.
  static constexpr std::size_t kQueueMax = 256 * 1024;

  /// Called once, when writing failed for good: Errc::closed when the reader is gone, else io or
  /// exhausted (a full disk). From then on everything written is dropped.
  using OnError = std::function<void(const Error&)>;

  /// `fd` stays the caller's and may be closed. `name` is for messages ("standard output").
  static Result<Sink> open(boost::asio::io_context& loop, int fd, std::string_view name,
                           OnError on_error);
  Sink(Sink&&) noexcept;
  Sink& operator=(Sink&&) noexcept;
  ~Sink();

  /// Takes all of `bytes`, whole lines as one unit. Look at full() before reading more.
  void write(std::string_view bytes);
  bool full() const;
  /// True when what was written last did not end its line.
  bool in_line() const;
  /// Calls `callback` once, from the loop, as soon as at most half of the queue is left.
  void when_room(std::function<void()> callback);
  /// True when all that was written is out (or was dropped after an error). At exit: run the loop
  /// until then.
  bool drained() const;

 private:
  struct State;
  explicit Sink(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

/// True when both descriptors lead to the same file, pipe or terminal: use one Sink for both then,
/// or a write that was cut short is continued in the middle of the other's line.
bool same_target(int fd, int other_fd);

}  // namespace ringmaster::launcher
