// SPDX-License-Identifier: Apache-2.0
//
// The store of a simulated world, as plain data; what happens in it is in store.cc.
#pragma once

#include <map>
#include <utility>

#include "base/time.h"
#include "jobs/core/checkpoint.h"
#include "jobs/simulator/weights.h"

namespace ringmaster::jobs::simulator {

/// The store: what was committed, and the turn of the coordinator that may commit.
struct FakeStore {
  struct Checkpoint {
    Term term;
    Weights weights;
  };
  std::map<std::int64_t, Checkpoint> committed;  // by steps: those that a new term would find
  std::map<CheckpointAt, Weights> held;          // everything that was ever committed
  std::map<std::pair<Generation, std::int64_t>, Weights> staged;  // by generation and steps
  std::map<std::pair<Generation, std::int64_t>, bool> verdicts;   // whether that step is saved
  Time saved_at;                                                  // by the verdict of a period
  Term term;                                                      // claimed last
  std::int64_t resumes = kNoState;                                // what that term found
  bool spoiled = false;  // something has failed: the last step need not be in it
  Time free;             // its one thread is busy until then
};

}  // namespace ringmaster::jobs::simulator
