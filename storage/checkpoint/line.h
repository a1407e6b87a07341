// SPDX-License-Identifier: Apache-2.0
//
// The line of checkpoints: which manifests count, and in which order a reader tries them.
//
// It goes from the newest opened term, highest step first, to what that term resumed from, and so
// on. Each opening cuts the older term's line at the manifest it names, so what an older writer
// adds after a newer term was opened is never on it, whatever its step is.
//
// Pure: from what a listing shows to a decision. Reading the store: read_line.h.
#pragma once

#include <map>
#include <vector>

#include "storage/layout/records.h"

namespace ringmaster::storage {

/// A term whose opening was found; none in `opening`: it is there, and damaged.
using Openings = std::map<std::int64_t, std::optional<Opening>>;

struct Line {
  std::int64_t term = 0;                        // the newest opened one; 0: no term was opened
  std::vector<CheckpointName> candidates = {};  // newest first
  std::vector<std::int64_t> cut = {};  // terms whose damaged opening did not say where to go on
};

/// `manifests` in any order. Openings of terms above `below` are left out: who opens a term looks
/// at the line of the terms before it.
Line make_line(const Openings& openings, std::vector<CheckpointName> manifests,
               std::int64_t below = kTermMax + 1);

}  // namespace ringmaster::storage
