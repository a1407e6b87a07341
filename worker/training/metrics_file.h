// SPDX-License-Identifier: Apache-2.0
//
// The metrics file: one write in append mode a line, so that lines of several ranks never mix.
//
// No buffer: what a rank has finished must be in the file when the rank is killed, and a write of
// 200 bytes costs a microsecond beside a step of milliseconds.
//
// Not here: what the lines say (metrics.h).
#pragma once

#include <string>
#include <string_view>

#include "base/file_descriptor.h"
#include "base/result.h"

namespace ringmaster::training {

class MetricsFile {
 public:
  /// Opens or makes the file and leaves what is in it. An empty path: every write is nothing.
  static Result<MetricsFile> open(const std::string& path);

  /// Empties the file (of a pipe or a device there is nothing to empty).
  Result<void> empty();
  /// Appends one line, which has its newline.
  Result<void> append(std::string_view line);
  bool wanted() const { return fd_.valid(); }

 private:
  std::string path_;
  FileDescriptor fd_;
};

}  // namespace ringmaster::training
