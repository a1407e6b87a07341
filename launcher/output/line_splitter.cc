// SPDX-License-Identifier: Apache-2.0
#include "launcher/output/line_splitter.h"

#include <utility>

#include "base/check.h"

namespace ringmaster::launcher {

LineSplitter::LineSplitter(std::string prefix, Ends ends)
    : prefix_(std::move(prefix)), ends_(ends) {}

void LineSplitter::feed(std::string_view bytes, std::string& out) {
  while (!bytes.empty()) {
    feed_after_return(bytes, out);
    if (bytes.empty()) return;
    CHECK_LT(held_.size(), kLineMax);
    const std::size_t room = kLineMax - held_.size();
    const std::size_t end = ends_ == Ends::newline ? bytes.find('\n') : bytes.find_first_of("\r\n");
    if (end >= room) {  // npos is, too
      const bool cut = bytes.size() >= room;
      held_.append(bytes.substr(0, room));
      if (!cut) return;
      put(held_, false, out);
      bytes.remove_prefix(room);
    } else if (bytes[end] == '\r' && end + 1 == bytes.size()) {
      held_.append(bytes);
      return;
    } else {
      const bool two = bytes[end] == '\r' && bytes[end + 1] == '\n';
      const std::size_t length = end + (two ? 2 : 1);
      if (held_.empty()) {
        put(bytes.substr(0, length), true, out);  // most lines: copied once
      } else {
        held_.append(bytes.substr(0, length));
        put(held_, true, out);
      }
      bytes.remove_prefix(length);
    }
    held_.clear();
  }
}

std::string_view LineSplitter::pass(std::string_view& bytes, std::string& out) {
  if (!prefix_.empty() || ends_ == Ends::newline_or_return) return {};
  if (!held_.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::size_t length = end == std::string_view::npos ? bytes.size() : end + 1;
    feed(bytes.substr(0, length), out);
    bytes.remove_prefix(length);
  }
  // Behind the line that was held, or one that was too long to be.
  const std::size_t last = bytes.rfind('\n');
  if (!held_.empty() || last == std::string_view::npos) return {};
  const std::string_view whole = bytes.substr(0, last + 1);
  bytes.remove_prefix(whole.size());
  in_line_ = false;
  return whole;
}

/// Settles a '\r' that was the last byte known: held back, or flushed already.
void LineSplitter::feed_after_return(std::string_view& bytes, std::string& out) {
  if (ends_ == Ends::newline) return;
  const bool newline = bytes.front() == '\n';
  if (std::exchange(after_return_, false)) {
    if (!newline) return;
    out += '\n';
  } else {
    if (!held_.ends_with('\r')) return;
    if (newline) held_ += '\n';
    put(held_, true, out);
    held_.clear();
  }
  if (newline) bytes.remove_prefix(1);
}

void LineSplitter::flush(std::string& out) {
  if (held_.empty()) return;
  after_return_ = ends_ == Ends::newline_or_return && held_.back() == '\r';
  put(held_, after_return_, out);
  held_.clear();
}

void LineSplitter::put(std::string_view piece, bool ends_line, std::string& out) {
  if (!in_line_) out += prefix_;
  out += piece;
  in_line_ = !ends_line;
}

}  // namespace ringmaster::launcher
