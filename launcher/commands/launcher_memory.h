// SPDX-License-Identifier: Apache-2.0
//
// How much memory a launcher takes beside its ranks.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/time.h"

namespace ringmaster::launcher {

/// How long to wait between two looks.
constexpr Duration kMemoryLook = std::chrono::milliseconds(10);

/// Resident peaks (VmHWM in proc(5)) of a program and of those of its descendants that are
/// launchers too: told by their names (comm), 15 characters at most. Pages that several share are
/// counted in each. What lives shorter than between two looks is missed.
class LauncherMemory {
 public:
  explicit LauncherMemory(std::set<std::string> names) : names_(std::move(names)) {}
  void look(pid_t program);
  double megabytes() const;  // the sum, of 10^6 bytes

 private:
  std::set<std::string> names_;
  std::map<pid_t, std::int64_t> peaks_;  // bytes
};

}  // namespace ringmaster::launcher
