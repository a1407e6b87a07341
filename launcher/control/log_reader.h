// SPDX-License-Identifier: Apache-2.0
//
// The output of a job's ranks, from the files of its streams (jobs/coordinator/log_files.h): what
// is new since the last look, whole lines at a time. Hosts of this machine write theirs themselves,
// those of others come through the coordinator; here they are the same. A line begins with
// "[rank]", and where there are several hosts with "[host:rank]".
//
// Thread rules: one thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "jobs/coordinator/log_files.h"

namespace ringmaster::launcher {

class LogReader {
 public:
  explicit LogReader(std::string folder) : folder_(std::move(folder)) {}

  /// Lines begin with their host, too, from now on; so they do as soon as several hosts have
  /// written.
  void name_hosts() { names_hosts_ = true; }

  /// At most a few MiB of each host; call it again for the rest. "" when there is nothing new.
  std::string next();
  /// The rest too, where the last line has no end.
  std::string rest();
  /// Whether all that will ever come from other machines has come.
  bool complete() const;

 private:
  /// How far a stream was read.
  struct At {
    std::int64_t offset = 0;
    bool in_line = false;  // what was given last was no whole line
    bool ended = false;    // the text of its end was given
  };
  std::string read(bool whole_lines);
  static std::string read_stream(const jobs::LogStream& stream, bool whole_lines, At& at);
  std::string folder_;
  std::map<std::string, At> streams_;
  bool names_hosts_ = false;
};

/// Pure: the text of one host's ranks, "[3] words", as it is shown among that of several hosts:
/// "[n1:3] words". `in_line`: it begins in the middle of a line.
std::string with_host(std::string_view text, std::string_view host, bool in_line);

}  // namespace ringmaster::launcher
