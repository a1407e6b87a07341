// SPDX-License-Identifier: Apache-2.0
//
// Ranks for the tests of this engine: threads that stand for their processes. Only tests include
// it.
#pragma once

#include <functional>
#include <thread>
#include <vector>

#include "collectives/shm/shm_communicator.h"

namespace ringmaster::collectives {

/// Runs `body(communicator, arena)` on a thread for each rank, in the given generation.
inline void run_shm_ranks(const Segment& segment, int ranks, std::int64_t generation,
                          const std::function<void(ShmCommunicator&, Arena&)>& body) {
  segment.reset();
  std::vector<int> numbers;
  for (int number = 0; number < ranks; ++number) numbers.push_back(number);
  std::vector<std::thread> threads;
  for (int position = 0; position < ranks; ++position) {
    threads.emplace_back([&, position] {
      Arena arena(&segment, position);
      ShmCommunicator communicator(segment, {generation, numbers, position, 2}, &arena);
      communicator.set_timeout(std::chrono::seconds(60));
      body(communicator, arena);
    });
  }
  for (auto& thread : threads) thread.join();
}

inline void run_shm_ranks(const Segment& segment, int ranks, std::int64_t generation,
                          const std::function<void(ShmCommunicator&)>& body) {
  run_shm_ranks(segment, ranks, generation,
                [&](ShmCommunicator& communicator, Arena&) { body(communicator); });
}

}  // namespace ringmaster::collectives
