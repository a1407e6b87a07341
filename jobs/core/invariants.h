// SPDX-License-Identifier: Apache-2.0
//
// What must always hold. Tests and the simulator look after every step; a violation is a sentence
// that says which rule, which job and which values.
#pragma once

#include <string>
#include <vector>

#include "jobs/core/core.h"

namespace ringmaster::jobs {

class Invariants {
 public:
  /// Compares the state after a step, and the actions of that step, with what was seen before.
  /// Empty: all hold.
  std::vector<std::string> check(const State& state, const Actions& actions);

 private:
  struct Seen {
    Generation generation;
    Incarnation incarnation;
    bool ended = false;
    Term term;
    std::int64_t durable_steps = -1;
  };
  std::map<JobId, Seen> seen_;
};

}  // namespace ringmaster::jobs
