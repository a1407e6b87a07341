// SPDX-License-Identifier: Apache-2.0
#include "collectives/shm/waiter.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>

namespace ringmaster::collectives {

namespace {

// Longer than a sleep and its wake: whoever has rung a sleeper is still spinning when that answers,
// and then both go on without sleeping. With 8 us two ranks that had once slept never got out of
// it.
constexpr Duration kSpin = std::chrono::microseconds(20);
constexpr int kSpinsALook = 32;  // at the clock
constexpr int kYields = 64;
// A yield between our own ranks takes microseconds; a stranger keeps the processor for a slice.
constexpr Duration kSlowYield = std::chrono::microseconds(200);
// How many waits then go to sleep at once. Strangers that stay are met again at the next yield:
// each time there are twice as many sleeps before it. Strangers that came once are soon forgotten.
constexpr int kSleepsLeast = 16, kSleepsMost = 2048, kGoodWaits = 64;
// The bell ends every sleep; this only bounds the harm of a peer that was killed between
// publishing and ringing, whose loss the agent announces within milliseconds anyway.
constexpr long kSleepNanoseconds = 50'000'000;

void pause_processor() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

void sleep_on(const std::atomic<std::uint32_t>& word, std::uint32_t seen) {
  const timespec limit{0, kSleepNanoseconds};
  syscall(SYS_futex, &word, FUTEX_WAIT, seen, &limit, nullptr, 0);
}

}  // namespace

Waiter::Waiter(Slot& own, int ranks, int cpus)
    : own_(own), spin_(ranks > cpus ? Duration::zero() : kSpin), sleeps_(kSleepsLeast) {}

void Waiter::note_slow_yield() {
  sleep_next_ = sleeps_;
  sleeps_ = std::min(sleeps_ * 2, kSleepsMost);
  good_waits_ = 0;
}

void Waiter::note_good_wait() {
  if (++good_waits_ >= kGoodWaits) sleeps_ = kSleepsLeast;
}

Waiter::End Waiter::wait(const Segment& segment, std::int64_t generation,
                         const std::atomic<std::uint32_t>& word, std::uint32_t target,
                         Duration timeout) {
  if (reached(word, target)) return End::reached;
  const Time begin = read_clock();
  while (spin_ > Duration::zero() && read_clock() - begin < spin_) {
    for (int spin = 0; spin < kSpinsALook; ++spin) {
      pause_processor();
      if (reached(word, target)) return End::reached;
    }
  }
  Time before = begin;
  for (int yield = 0; yield < kYields && sleep_next_ == 0; ++yield) {
    if (segment.aborted(generation)) return End::aborted;
    sched_yield();
    if (reached(word, target)) {
      note_good_wait();
      return End::reached;
    }
    const Time after = read_clock();
    if (after - before > kSlowYield) note_slow_yield();
    before = after;
  }
  if (sleep_next_ > 0) --sleep_next_;
  for (;;) {
    const std::uint32_t seen = own_.bell.load(std::memory_order_seq_cst);
    own_.sleeping.store(1, std::memory_order_seq_cst);
    const bool done = reached(word, target);
    const bool aborted = segment.aborted(generation);
    if (!done && !aborted) sleep_on(own_.bell, seen);
    own_.sleeping.store(0, std::memory_order_seq_cst);
    if (done || reached(word, target)) return End::reached;
    if (aborted || segment.aborted(generation)) return End::aborted;
    if (read_clock() - begin > timeout) return End::timed_out;
  }
}

}  // namespace ringmaster::collectives
