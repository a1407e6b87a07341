// SPDX-License-Identifier: Apache-2.0
//
// Recognises that the kernel killed a process for lack of memory. SIGKILL itself does not tell who
// sent it, but the kernel counts such kills for each control group, before it sends the signal: a
// counter that has risen since the ranks started explains as many deaths as it has risen by.
//
// The counter is that of the launcher's own group, in which its ranks start: oom_kill of
// memory.events (version 2, which counts the groups below as well) or of memory.oom_control
// (version 1). Where an old kernel has neither, memory.failcnt makes it likely, and where no group
// has one, the host's own count in /proc/vmstat, which may be of others' processes.
//
// Thread rules: one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace ringmaster::launcher {

class MemoryKills {
 public:
  /// Reads the counter as it is now. `root` ("" is the machine's) is where /proc and /sys are.
  explicit MemoryKills(std::string root);

  /// Why a process ended that nobody of ours has killed: "out of memory: .." with the limit that
  /// it met, or "". `killed`: by SIGKILL; else a process that it had started may have been.
  std::string explain(bool killed);

 private:
  /// Where a kernel counts.
  struct Counter {
    std::string file, key;  // key "": the file holds a number alone
    bool certain = true;    // each count is a kill, of our group
    std::string group;      // "" for the whole host
    std::string limits;     // the folder that has the groups' limits
    std::string limit;      // the file of a limit
  };
  std::optional<Counter> find() const;
  std::optional<std::int64_t> read(const Counter& counter) const;
  std::string limit_text() const;

  std::string root_;
  std::optional<Counter> counter_;
  std::int64_t explained_ = 0;
};

/// Pure: the number behind `key` in lines of "key number"; the first number when `key` is "".
std::optional<std::int64_t> read_count(const std::string& text, const std::string& key);

/// Pure: "512 MiB", "1.5 GiB", "1000 bytes".
std::string bytes_text(std::int64_t bytes);

}  // namespace ringmaster::launcher
