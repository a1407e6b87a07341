// SPDX-License-Identifier: Apache-2.0
//
// How a rank waits for its GPU: looks again and again, until the deadline or the end of the
// generation. A GPU wakes nobody, and a blocking wait of CUDA's has no way out.
//
// The first looks follow each other at once (a small all-reduce takes tens of microseconds), then
// the processor is yielded, then 50 us are slept between them: a long operation costs next to no
// processor time, and an abort is seen as soon.
//
// Thread rules: one thread.
#pragma once

#include <functional>

#include "base/time.h"

namespace ringmaster::collectives {

class Patience {
 public:
  enum class End { look_again, aborted, timed_out };

  /// `aborted`: whether the generation is over.
  Patience(const std::function<bool()>& aborted, Duration timeout)
      : aborted_(aborted), begin_(read_clock()), timeout_(timeout) {}

  /// Called after a look that found nothing.
  End pause();

 private:
  static constexpr Duration kSpin = std::chrono::microseconds(50);
  static constexpr Duration kYield = std::chrono::milliseconds(2);
  static constexpr Duration kSleep = std::chrono::microseconds(50);

  const std::function<bool()>& aborted_;
  Time begin_;
  Duration timeout_;
};

}  // namespace ringmaster::collectives
