// SPDX-License-Identifier: Apache-2.0
//
// How much memory a launcher takes beside its ranks.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>

#include "base/time.h"

namespace ringmaster::launcher {

/// How long to wait between two looks.
constexpr Duration kMemoryLook = std::chrono::milliseconds(10);

/// Resident peaks (VmHWM in proc(5)) of a program and of those of its descendants that are
/// launchers too: ours and Hydra's, told by their names. Pages that several share are counted in
/// each. What lives shorter than between two looks is missed.
class LauncherMemory {
 public:
  void look(pid_t program);
  double megabytes() const;  // the sum, of 10^6 bytes

 private:
  std::map<pid_t, std::int64_t> peaks_;  // bytes
};

}  // namespace ringmaster::launcher
