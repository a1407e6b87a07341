// SPDX-License-Identifier: Apache-2.0
//
// For tests of readers: the machine or the refusal that must be there. Header only.
#pragma once

#include <string>

#include "base/check.h"
#include "topology/read/answer.h"

namespace ringmaster::topology {

inline Topology machine_of(const Answer& answer) {
  if (const auto* refusal = std::get_if<Refusal>(&answer)) {
    check_failed(__FILE__, refusal->line, "refused: " + refusal->what);
  }
  check_topology(std::get<Topology>(answer));
  return std::get<Topology>(answer);
}

inline Refusal refusal_of(const Answer& answer) {
  CHECK(std::holds_alternative<Refusal>(answer));
  return std::get<Refusal>(answer);
}

/// A table of `gpus` GPUs with the same path between all.
inline std::string full_matrix(int gpus, const std::string& path) {
  std::string text;
  for (int i = 0; i < gpus; ++i) text += "\tGPU" + std::to_string(i);
  text += "\tCPU Affinity\n";
  for (int i = 0; i < gpus; ++i) {
    text += "GPU" + std::to_string(i);
    for (int j = 0; j < gpus; ++j) text += "\t" + (i == j ? std::string(" X ") : path);
    text += "\t0-3\n";
  }
  return text;
}

}  // namespace ringmaster::topology
