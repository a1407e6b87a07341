// SPDX-License-Identifier: Apache-2.0
//
// What this host knows of why a process ended, beyond its exit code or signal: that its core was
// dumped, and where to, or that the kernel ran out of memory.
//
// Thread rules: one thread.
#pragma once

#include <sys/types.h>

#include <string>

#include "jobs/core/exit_status.h"
#include "launcher/ending/memory_kills.h"

namespace ringmaster::launcher {

/// A process that has ended.
struct EndedProcess {
  pid_t pid = -1;
  jobs::ExitStatus status = {};
  bool dumped = false;      // the kernel says so
  bool killed = false;      // by a SIGKILL of ours
  std::string folder = {};  // where it was started
};

class ExitReasons {
 public:
  /// `root` ("" is the machine's) is where /proc and /sys are.
  explicit ExitReasons(std::string root = {}) : root_(std::move(root)), memory_(root_) {}

  /// "core dumped to /tmp/core", "out of memory: ..", or "". It reads on after "exited with code
  /// 1: ".
  std::string of(const EndedProcess& ended);

 private:
  std::string root_;
  MemoryKills memory_;
};

/// Pure: where a core goes by `pattern` (core(5)), of a process that was started in `folder`; ""
/// when that depends on what is not known any more. `adds_pid`: /proc/sys/kernel/core_uses_pid.
std::string core_path(const std::string& pattern, bool adds_pid, const std::string& folder,
                      pid_t pid, int signal);

}  // namespace ringmaster::launcher
