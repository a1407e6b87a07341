// SPDX-License-Identifier: Apache-2.0
//
// A fake rank's state: the history of the steps that led to it, in place of the weights that those
// steps would have made. Two ranks have equal weights when they have equal histories.
#pragma once

#include <cstdint>
#include <vector>

#include "jobs/core/event.h"

namespace ringmaster::jobs::simulator {

/// The places of a global batch; every rank of a generation computes its share.
inline constexpr int kBatch = 60;

struct FinishedStep {
  Generation generation;
  int counted = 0;  // places of the batch in the sum of the gradients
  friend bool operator==(const FinishedStep&, const FinishedStep&) = default;
};

struct Weights {
  bool exist = false;
  std::vector<FinishedStep> history;

  std::int64_t steps() const {
    return exist ? static_cast<std::int64_t>(history.size()) : kNoState;
  }
  friend bool operator==(const Weights&, const Weights&) = default;
};

}  // namespace ringmaster::jobs::simulator
