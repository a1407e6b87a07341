// SPDX-License-Identifier: Apache-2.0
//
// Finds the newest checkpoint of a job that is whole, and says which ones it passed over and why.
#pragma once

#include "storage/checkpoint/inspect.h"
#include "storage/checkpoint/line.h"

namespace ringmaster::storage {

/// What a listing of a job shows.
struct Listing {
  std::int64_t highest_claim = 0;  // 0: none
  std::vector<std::int64_t> claims = {};
  Openings openings = {};
  std::vector<CheckpointName> manifests = {};
};

/// Terms first: a checkpoint that was committed before the call is then in the listing, and on its
/// line. Names that are none of ours are left out.
Result<Listing> list_job(ObjectStore& store, const std::string& job);

struct Newest {
  std::optional<Manifest> manifest = {};  // none: there is no whole checkpoint
  std::vector<Problem> skipped = {};      // newer ones, newest first
};

/// Errc::invalid for a name that no job can have. An error that may pass fails the search.
Result<Newest> newest(ObjectStore& store, const std::string& job, Depth depth = Depth::bytes,
                      std::int64_t below = kTermMax + 1);

/// One checkpoint as `checkpoint ls` and `verify` show it.
struct Standing {
  Inspection inspection = {};
  bool on_line = false;  // else it was written by an older term after a newer one was opened
};

/// All checkpoints of a job, newest first in the order of the line, then those that are not on it.
Result<std::vector<Standing>> inspect_all(ObjectStore& store, const std::string& job, Depth depth);

/// The jobs that have anything here, sorted.
Result<std::vector<std::string>> list_jobs(ObjectStore& store);

}  // namespace ringmaster::storage
