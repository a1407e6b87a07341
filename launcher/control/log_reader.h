// SPDX-License-Identifier: Apache-2.0
//
// The output of a job's ranks, from the files that its hosts write: what is new since the last
// look, whole lines at a time.
//
// Thread rules: one thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace ringmaster::launcher {

class LogReader {
 public:
  explicit LogReader(std::string folder) : folder_(std::move(folder)) {}

  /// At most a few MiB of each file; call it again for the rest. "" when there is nothing new.
  std::string next();
  /// The rest too, where the last line has no end.
  std::string rest();

 private:
  std::string read(bool whole_lines);
  std::string folder_;
  std::map<std::string, std::int64_t> offsets_;  // by file
};

}  // namespace ringmaster::launcher
