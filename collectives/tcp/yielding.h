// SPDX-License-Identifier: Apache-2.0
//
// How long a rank looks for a small array again and again, giving the processor away in between,
// before it sleeps in poll().
//
// A hop takes longer than falling asleep and waking up, so who gives up too soon finds every peer
// asleep, and every hop costs a wake from then on. Between ranks of one job on one machine a yield
// takes microseconds; a stranger keeps the processor for a slice, and then sleeping is better,
// since who is woken goes first: as in collectives/shm/waiter.h, whose words these are.
//
// Thread rules: one thread.
#pragma once

#include "base/time.h"

namespace ringmaster::collectives {

class Yielding {
 public:
  /// Nothing moves since now.
  void begin(Time now);
  /// Gives the processor away once. False: it is time to sleep.
  bool yield();
  /// Something has moved.
  void moved();

  /// What yield() does with the clock: whether there is time left, and how long the yield took.
  bool may(Time now) const { return now < until_; }
  void took(Time begin, Time end);

  static constexpr Duration kSlow = std::chrono::microseconds(200);
  /// How many waits sleep at once after a slow yield; twice as many each time that it was not the
  /// last one, until so many waits have ended well.
  static constexpr int kSleepsLeast = 16, kSleepsMost = 2048, kGoodWaits = 64;

 private:
  Time until_{};
  int yields_ = 0;      // in this wait
  int sleep_next_ = 0;  // so many waits sleep at once
  int sleeps_ = kSleepsLeast;
  int good_waits_ = 0;
};

}  // namespace ringmaster::collectives
