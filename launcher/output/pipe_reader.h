// SPDX-License-Identifier: Apache-2.0
//
// Reads one output pipe of a rank into sinks, line by line.
//
// It stops reading while one of its sinks is full, so that the pipe fills and the rank waits: a
// slow reader holds ranks back and nothing is lost. Where a person watches, a line without an end
// goes out after kFlushAfter, so that a prompt or a progress bar is seen; elsewhere it waits for
// its end, or a rank that was held back in the middle of a line would tear it.
//
// The pipe's EOF is not the rank's end: a grandchild may hold the pipe open for ever. When the rank
// is reaped, call drain(): what was in the pipe at that moment is read, then the pipe is closed.
//
// Thread rules: the loop's thread only; the sinks outlive the reader.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file_descriptor.h"
#include "base/time.h"
#include "launcher/output/line_splitter.h"

namespace boost::asio {
class io_context;
}

namespace ringmaster::launcher {

class Sink;

/// One destination and how lines look there: the terminal with a prefix, the rank's file without.
struct Output {
  Sink* sink;
  LineSplitter splitter;
  bool eager = false;  // a person watches: show a line before it has ended
  /// Lines begin with the moment at which they came, and with this.
  std::optional<std::string> timed = {};
};

class PipeReader {
 public:
  /// Longer than the gaps inside a line that a program writes in portions.
  static constexpr Duration kFlushAfter = std::chrono::milliseconds(200);

  using OnBytes = std::function<void(std::string_view)>;

  /// `on_end` is called once, from the loop, after everything was given to the sinks and the pipe
  /// was closed. It may destroy the reader. `on_bytes` hears each portion as it was read.
  PipeReader(boost::asio::io_context& loop, FileDescriptor pipe, std::vector<Output> outputs,
             std::function<void()> on_end, OnBytes on_bytes = {});
  PipeReader(PipeReader&&) noexcept;
  PipeReader& operator=(PipeReader&&) noexcept;
  /// Nothing is called after this. What was not read yet is lost.
  ~PipeReader();

  /// The rank is reaped: reads what is in the pipe now, then ends even if others hold it open.
  void drain();
  bool ended() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace ringmaster::launcher
