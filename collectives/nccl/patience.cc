// SPDX-License-Identifier: Apache-2.0
#include "collectives/nccl/patience.h"

#include <thread>

namespace ringmaster::collectives {

Patience::End Patience::pause() {
  if (aborted_()) return End::aborted;
  const Duration waited = read_clock() - begin_;
  if (waited >= timeout_) return End::timed_out;
  if (waited < kSpin) return End::look_again;
  if (waited < kYield) {
    std::this_thread::yield();
  } else {
    std::this_thread::sleep_for(kSleep);
  }
  return End::look_again;
}

}  // namespace ringmaster::collectives
