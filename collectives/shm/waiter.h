// SPDX-License-Identifier: Apache-2.0
//
// Waits until another rank's flag says so: a short spin, some yields, then sleep.
//
// Yielding beats sleeping ten times while only the job's own ranks compete for the processors (a
// futex wake costs 17-20 us on the machine where both were measured), and loses whole time slices
// when strangers do; so each yield is timed, and one that took too long makes the next waits sleep
// at once. The spin is for ranks that have a processor each: when ranks outnumber the processors
// that they may use, spinning only keeps the peer from running.
//
// The sleep cannot miss its wake: the sleeper says that it sleeps and looks again; the publisher
// publishes and then looks who sleeps (both sequentially consistent); an abort rings every bell.
//
// Thread rules: one thread, the owner of the slot.
#pragma once

#include <sched.h>

#include <cstdint>

#include "base/time.h"
#include "collectives/shm/segment.h"

namespace ringmaster::collectives {

class Waiter {
 public:
  enum class End { reached, aborted, timed_out };

  /// `ranks` on this host share `cpus` processors.
  Waiter(Slot& own, int ranks, int cpus);

  /// Returns when `done()`, the generation is aborted, or `timeout` is over. What makes it done is
  /// written by ranks that look at Slot::sleeping afterwards.
  template <class Done>
  End wait_until(const Segment& segment, std::int64_t generation, Duration timeout,
                 const Done& done);

  /// The same for the peer's `word` to be at least `target`.
  End wait(const Segment& segment, std::int64_t generation, const std::atomic<std::uint32_t>& word,
           std::uint32_t target, Duration timeout);

 private:
  void sleep(std::uint32_t seen);
  Slot& own_;
  Duration spin_;
  Duration slow_yield_;
  int yields_;
  void note_slow_yield();
  void note_good_wait();

  int sleep_next_ = 0;  // so many waits go to sleep without yielding
  int sleeps_;          // how many there will be after the next slow yield
  int good_waits_ = 0;  // ended by a yield, since the last slow one
};

/// Whether the counter has come to `target`. The difference is signed so that it may wrap.
inline bool reached(const std::atomic<std::uint32_t>& word, std::uint32_t target) {
  return static_cast<std::int32_t>(word.load(std::memory_order_seq_cst) - target) >= 0;
}

namespace waiting {
inline constexpr int kSpinsALook = 32;  // at the clock
void pause();
}  // namespace waiting

template <class Done>
Waiter::End Waiter::wait_until(const Segment& segment, std::int64_t generation, Duration timeout,
                               const Done& done) {
  if (done()) return End::reached;
  const Time begin = read_clock();
  while (spin_ > Duration::zero() && read_clock() - begin < spin_) {
    for (int spin = 0; spin < waiting::kSpinsALook; ++spin) {
      waiting::pause();
      if (done()) return End::reached;
    }
  }
  Time before = begin;
  for (int yield = 0; yield < yields_ && sleep_next_ == 0; ++yield) {
    if (segment.aborted(generation)) return End::aborted;
    sched_yield();
    if (done()) {
      note_good_wait();
      return End::reached;
    }
    const Time after = read_clock();
    if (after - before > slow_yield_) note_slow_yield();
    before = after;
  }
  if (sleep_next_ > 0) --sleep_next_;
  for (;;) {
    const std::uint32_t seen = own_.bell.load(std::memory_order_seq_cst);
    own_.sleeping.store(1, std::memory_order_seq_cst);
    const bool ended = done();
    const bool aborted = segment.aborted(generation);
    if (!ended && !aborted) sleep(seen);
    own_.sleeping.store(0, std::memory_order_seq_cst);
    if (ended || done()) return End::reached;
    if (aborted || segment.aborted(generation)) return End::aborted;
    if (read_clock() - begin > timeout) return End::timed_out;
  }
}

}  // namespace ringmaster::collectives
