// SPDX-License-Identifier: Apache-2.0
//
// Which algorithm carries an operation out: the one for which a model of the network predicts the
// least time, or the one that was asked for.
//
// The model's constants are fixed, and may be set: `ringmaster calibrate` measures what to set.
// They are not measured when ranks meet. The order in which an element is reduced follows from the
// choice, and so its last bits: what a busy moment had measured would change the weights of a
// repeated run. A wrong constant costs some time at the sizes where two algorithms are near each
// other anyway.
//
// Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "collectives/schedules/plan.h"

namespace ringmaster::collectives::schedules {

/// Of one rank on each host; its NIC sends and receives at once. The defaults are near a slow
/// network: a fast one loses some microseconds by them, where a slow one would lose half of its
/// speed.
struct Cost {
  double round_us = 30;     // from a send to its arrival, without the bytes
  double byte_ns = 8;       // a byte through a NIC
  double reduce_ns = 0.15;  // a byte of an operand that is reduced
};

/// What the ranks of a generation agree on: the same on all.
struct Choice {
  Cost cost = {};
  std::optional<Algorithm> algorithm = {};  // wherever it can carry out the operation
};

/// Seconds for an array of `bytes` (of all positions together, in a gather or all-to-all).
double predict(const Plan& plan, std::size_t bytes, const Cost& cost);

/// The plan of the operation, without tokens. `algorithm` of the choice is used where it can.
Plan choose(Operation operation, int ranks, int root, std::size_t bytes, const Choice& choice);

/// Reads "ring", or settings of the model ("round_us=50,byte_ns=8"), or both, after commas.
Result<Choice> parse_choice(std::string_view text);

}  // namespace ringmaster::collectives::schedules
