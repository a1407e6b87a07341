// SPDX-License-Identifier: Apache-2.0
#include "collectives/shm/waiter.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

namespace ringmaster::collectives {

namespace {

// As long as a sleep and its wake cost: whoever spins that long first loses at most half.
constexpr Duration kSpin = std::chrono::microseconds(8);
constexpr int kSpinsALook = 32;  // at the clock
constexpr int kYields = 64;
// A yield between our own ranks takes microseconds; a stranger keeps the processor for a slice.
constexpr Duration kSlowYield = std::chrono::microseconds(200);
constexpr int kSleepsAfterSlowYield = 256;
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
    : own_(own), spin_(ranks > cpus ? Duration::zero() : kSpin) {}

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
    if (reached(word, target)) return End::reached;
    const Time after = read_clock();
    if (after - before > kSlowYield) sleep_next_ = kSleepsAfterSlowYield;
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
