// SPDX-License-Identifier: Apache-2.0
#include "collectives/shm/waiter.h"

#include <linux/futex.h>
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
// A stranger keeps the processor for a slice, 1.4 ms and more; our own ranks for what one does
// between two waits, each that shares the processor.
constexpr Duration kSlowYield = std::chrono::microseconds(200);
// A scheduler that counts a yield as a slice used up (EEVDF, Linux 6.18) goes on picking whoever
// has yielded less often: 30 yields in a row went by without a change of process, while the rank
// that was waited for stood in the queue. A sleep is forgotten; so crowded ranks soon go to sleep.
constexpr int kYields = 64, kCrowdedYields = 8;
// How many waits then go to sleep at once. Strangers that stay are met again at the next yield:
// each time there are twice as many sleeps before it. Strangers that came once are soon forgotten.
constexpr int kSleepsLeast = 16, kSleepsMost = 2048, kGoodWaits = 64;
// The bell ends every sleep; this only bounds the harm of a peer that was killed between
// publishing and ringing, whose loss the agent announces within milliseconds anyway.
constexpr long kSleepNanoseconds = 50'000'000;

}  // namespace

Waiter::Waiter(Slot& own, int ranks, int cpus)
    : own_(own),
      spin_(ranks > cpus ? Duration::zero() : kSpin),
      slow_yield_(kSlowYield * std::clamp((ranks + cpus - 1) / cpus, 1, 5)),
      yields_(ranks > cpus ? kCrowdedYields : kYields),
      sleeps_(kSleepsLeast) {}

void waiting::pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

void Waiter::sleep(std::uint32_t seen) {
  const timespec limit{0, kSleepNanoseconds};
  syscall(SYS_futex, &own_.bell, FUTEX_WAIT, seen, &limit, nullptr, 0);
}

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
  return wait_until(segment, generation, timeout, [&] { return reached(word, target); });
}

}  // namespace ringmaster::collectives
