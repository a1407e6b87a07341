// SPDX-License-Identifier: Apache-2.0
//
// The output of ranks on other machines, as their agents send it, in files beside those that local
// agents write (log_files.h).
//
// What a file holds is what was taken: no offset is kept anywhere else. A piece that comes again is
// dropped by its offset, one before which something is missing is not taken, unless the agent has
// nothing older either. So neither a new connection nor a new coordinator loses or doubles a byte.
//
// Thread rules: the loop's thread; blocking file calls of at most one piece.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "jobs/coordinator/log_files.h"
#include "jobs/wire/convert.h"

namespace ringmaster::jobs {

class HostLogs {
 public:
  /// As long as a night of progress lines; the oldest parts go first.
  struct Bounds {
    std::int64_t part = 8 * 1024 * 1024;
    std::int64_t all = 64 * 1024 * 1024;
  };
  struct Key {
    JobId job;
    HostId host;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  /// `folder`: that of all jobs. `say`: what could not be written, a line for each failure that
  /// begins.
  HostLogs(std::string folder, std::function<void(const std::string&)> say, Bounds bounds);

  /// Takes up what an earlier coordinator left incomplete; what those hosts owe that are gone is
  /// marked.
  void find_again(const std::function<bool(HostId)>& is_gone);
  /// Ranks of the job start on the host: from now on it owes their output.
  void expect(const Key& key, const std::string& host_name);

  struct Taken {
    std::int64_t offset = 0;  // what comes next
    bool complete = false;    // nothing more is wanted
  };
  Taken take(HostId host, const OutputPiece& piece);
  /// The host is gone: its streams end with a line that says so.
  void lose(HostId host);

  /// Streams that are not complete.
  std::vector<Key> incomplete() const;
  bool is_incomplete(const Key& key) const { return streams_.contains(key); }

 private:
  struct Part {
    std::int64_t start = 0;
    std::int64_t size = 0;
  };
  struct Stream {
    std::string name;
    std::vector<Part> parts;  // the last one is written to
    bool failing = false;     // said already
    std::int64_t end() const { return parts.back().start + parts.back().size; }
  };
  std::string folder_of(JobId job) const;
  void take_up(JobId job);
  Result<void> append(const Key& key, Stream& stream, const OutputPiece& piece);
  void trim(const Key& key, Stream& stream);
  Result<void> finish(const Key& key, const Stream& stream, const std::string& text);

  std::string folder_;
  std::function<void(const std::string&)> say_;
  Bounds bounds_;
  std::map<Key, Stream> streams_;
};

}  // namespace ringmaster::jobs
