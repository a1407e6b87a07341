// SPDX-License-Identifier: Apache-2.0
//
// Copies a rank's share of the state aside, so that training goes on after one memcpy while the
// agent writes the copy to the store.
//
// At most two copies are on their way: a store that is slower than the saves come costs memory of
// two shares and then a save, never the training's time. Memory that the agent is done with is
// used again: new pages cost five times as much as the copy.
//
// Thread rules: one thread.
#pragma once

#include <deque>

#include "base/time.h"
#include "worker/messages.h"
#include "worker/staged_memory.h"
#include "worker/state.h"

namespace ringmaster::worker {

class Staging {
 public:
  static constexpr std::size_t kOnTheirWayMax = 2;

  /// The message to the agent, and the descriptor that goes along; with -1 and a text in `why` the
  /// save is skipped.
  struct Staged {
    StagedMessage message;
    int fd = -1;  // valid until the next call
  };
  Staged stage(const State& state, std::int64_t generation, std::uint32_t position,
               std::uint32_t members);
  /// Waits until a copy on its way has arrived, should there be too many; at most `limit`.
  void wait_for_room(Duration limit) const;

 private:
  /// Memory for the next copy; an error says why there is none.
  Result<StagedMemory*> find_memory(std::uint64_t bytes);

  std::deque<StagedMemory> memories_;
};

}  // namespace ringmaster::worker
