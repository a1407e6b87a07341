// SPDX-License-Identifier: Apache-2.0
//
// Turns the bytes of one rank, in whatever portions they arrive, into whole lines with the rank's
// prefix, so that lines of several ranks never mix.
//
// Bytes pass unchanged; only the prefix is inserted at the start of each line. A line that is
// longer than kLineMax or that is flushed early goes out in pieces, the later ones without prefix:
// memory stays bounded, and taking the prefixes out gives back exactly what the rank wrote.
//
// In terminal mode a '\r' ends a line too, so that progress bars move. "\r\n" is one end: a '\r'
// that came last is held back until it is known what follows, or until the flush.
//
// Pure: when to flush is decided by the reader (pipe_reader.h).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace ringmaster::launcher {

class LineSplitter {
 public:
  enum class Ends { newline, newline_or_return };

  /// Above any sane line of text, and small enough for thousands of ranks.
  static constexpr std::size_t kLineMax = 64 * 1024;

  explicit LineSplitter(std::string prefix = {}, Ends ends = Ends::newline);

  /// Appends to `out` what `bytes` completes.
  void feed(std::string_view bytes, std::string& out);
  /// Where lines get no prefix: gives the whole lines in `bytes` as they lie there, to go out
  /// behind what it appends to `out`; what is left of `bytes` is for feed(). Else gives nothing.
  std::string_view pass(std::string_view& bytes, std::string& out);
  /// Appends to `out` the partial line that is held, without ending it.
  void flush(std::string& out);

  /// Of the lines that begin from now on.
  void set_prefix(std::string prefix) { prefix_ = std::move(prefix); }

  bool has_partial() const { return !held_.empty(); }
  /// True when what went out last was no whole line.
  bool in_line() const { return in_line_; }

 private:
  void put(std::string_view piece, bool ends_line, std::string& out);
  void feed_after_return(std::string_view& bytes, std::string& out);

  std::string prefix_;
  Ends ends_;
  std::string held_;           // the beginning of a line, less than kLineMax
  bool in_line_ = false;       // the prefix of the current line is out
  bool after_return_ = false;  // a '\r' was flushed as an end; a '\n' now belongs to that line
};

}  // namespace ringmaster::launcher
