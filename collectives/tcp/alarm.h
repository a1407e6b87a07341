// SPDX-License-Identifier: Apache-2.0
//
// The way out of every wait of this engine: the abort of its generation.
//
// The abort word in the shared segment is the truth. The eventfd only makes poll() return; it is
// this rank's own, so one that is still readable from an older abort is read empty here. Without
// one, or should a wake be missed, sleeps are cut into slices.
#pragma once

#include <poll.h>

#include <cstdint>
#include <vector>

#include "base/time.h"
#include "collectives/shm/segment.h"

namespace ringmaster::collectives {

/// How a rank hears that its generation has ended.
struct Abort {
  const Segment& segment;
  int fd = -1;  // an eventfd of this rank that is written after the word; -1: there is none
};

class Alarm {
 public:
  Alarm(Abort abort, std::int64_t generation);

  bool raised() const { return abort_.segment.aborted(generation_); }
  /// Returns when one of the descriptors is ready, the generation is aborted, or `at_most` is
  /// over, and sometimes earlier. Changes the list.
  void sleep(std::vector<pollfd>& fds, Duration at_most) const;

 private:
  Abort abort_;
  std::int64_t generation_;
};

}  // namespace ringmaster::collectives
