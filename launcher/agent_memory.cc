// SPDX-License-Identifier: Apache-2.0
//
// What the agent gives back of ranks that were killed: their part of the job's shared memory.
#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "launcher/agent_running.h"

namespace ringmaster::launcher {

/// A part a turn of the loop: freeing gigabytes takes longer than a generation's forming may.
void Agent::clear_left_memory() {
  for (int number = 0; number < segment_.capacity(); ++number) {
    const bool runs = std::any_of(running_.begin(), running_.end(), [&](const Running& running) {
      return static_cast<int>(running.id.rank.value) == number;
    });
    if (runs || !segment_.clear_arena_part(number)) continue;
    boost::asio::post(loop_, [this] { clear_left_memory(); });
    return;
  }
}

}  // namespace ringmaster::launcher
