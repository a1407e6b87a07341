// SPDX-License-Identifier: Apache-2.0
//
// Where mpirun's options put ranks, in ringrun's words: --map-by, --bind-to and their modifiers.
//
// Pure.
#pragma once

#include "base/result.h"
#include "launcher/dialects/mpirun_settings.h"

namespace ringmaster::launcher {

struct MpirunPlaces {
  std::vector<std::string> words = {};
  bool oversubscribe = false;
  int per_host = 0;  // ranks; 0: not said
};

/// Fails for places that ringrun has not, and for choices that contradict each other.
Result<MpirunPlaces> read_mpirun_places(const MpirunSettings& settings);

}  // namespace ringmaster::launcher
