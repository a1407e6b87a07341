// SPDX-License-Identifier: Apache-2.0
#include "collectives/tcp/yielding.h"

#include <sched.h>

#include <algorithm>

namespace ringmaster::collectives {

namespace {

// Several hops between hosts that are near each other: a rank waits for one that is behind by some.
constexpr Duration kYieldFor = std::chrono::microseconds(300);

}  // namespace

void Yielding::begin(Time now) {
  yields_ = 0;
  until_ = now;
  if (sleep_next_ > 0) {
    --sleep_next_;
  } else {
    until_ += kYieldFor;
  }
}

bool Yielding::yield() {
  const Time before = read_clock();
  if (!may(before)) return false;
  sched_yield();
  took(before, read_clock());
  return true;
}

void Yielding::took(Time begin, Time end) {
  ++yields_;
  if (end - begin <= kSlow) return;
  until_ = begin;
  sleep_next_ = sleeps_;
  sleeps_ = std::min(sleeps_ * 2, kSleepsMost);
  good_waits_ = 0;
}

void Yielding::moved() {
  if (yields_ > 0 && ++good_waits_ >= kGoodWaits) sleeps_ = kSleepsLeast;
}

}  // namespace ringmaster::collectives
