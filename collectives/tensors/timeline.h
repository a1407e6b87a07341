// SPDX-License-Identifier: Apache-2.0
//
// A file that shows what the collectives did when: Chrome's trace event format, which Perfetto and
// chrome://tracing open. A rank is a process of it, a tensor (or "operations", "buckets") a row.
//
// The array form of the format: its closing bracket may be missing, so what a killed rank had
// written is a timeline too. Events are gathered for a tenth of a second at most, or 32 KiB, and
// written as whole lines. Times are the machine's monotonic clock in microseconds, so the files of
// the ranks of one host fit together.
//
// Thread rules: any thread.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/file_descriptor.h"
#include "base/result.h"
#include "base/time.h"

namespace ringmaster::collectives {

class Timeline {
 public:
  /// Rows of a file; what comes later shares one called "others".
  static constexpr std::size_t kRowsMost = 4096;

  /// Opens the file, emptied unless `append`: then it goes on behind what another process of this
  /// rank has written.
  static Result<std::unique_ptr<Timeline>> open(const std::string& path, int rank, bool append);
  /// Ends the file.
  ~Timeline();
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  /// Something that took from `begin` to `end`. `bytes` is left out when it is 0.
  void span(std::string_view row, std::string_view what, Time begin, Time end,
            std::uint64_t bytes = 0);
  /// A moment of the whole rank.
  void moment(std::string_view what, Time when);
  /// Writes what is gathered. After the first failure, which it returns from then on, nothing is
  /// written any more.
  Result<void> flush();

 private:
  Timeline(FileDescriptor fd, std::string path, int rank, bool first);
  int row_of(std::string_view row);
  void add(std::string_view event);
  void write_out();

  FileDescriptor fd_;
  const std::string path_;
  const int rank_;
  std::mutex mutex_;
  std::map<std::string, int, std::less<>> rows_;
  std::string lines_;  // gathered, not yet written
  Time written_;       // the last time
  bool first_;         // no event is in the file yet
  Result<void> status_;
};

/// `%r` in the path becomes the rank's number. Without one only the rank with the lowest number has
/// a timeline, and the others get "".
std::string timeline_path(std::string_view pattern, int rank, bool lowest);

}  // namespace ringmaster::collectives
