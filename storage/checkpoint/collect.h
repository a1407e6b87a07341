// SPDX-License-Identifier: Apache-2.0
//
// Removes what is no longer needed: old checkpoints, what dead writers left, or a whole job.
#pragma once

#include "storage/checkpoint/collection.h"
#include "storage/checkpoint/inspect.h"

namespace ringmaster::storage {

struct CollectOptions {
  std::int64_t keep = 3;              // whole checkpoints, at least 1
  std::int64_t grace_seconds = 3600;  // longer than the slowest restore
  Depth depth = Depth::bytes;         // how closely a kept one is looked at before older ones go
  std::set<CheckpointName> trusted =
      {};  // looked at by size only: the caller has just written them
};

struct Collected {
  std::size_t manifests = 0;
  std::size_t shards = 0;
};

/// Keeps the newest whole checkpoints and whatever a search for them would return. `now` is in
/// seconds since 1970. May be repeated after an error. With Depth::sizes a flipped bit in a kept
/// checkpoint is not seen, and the one behind it may go.
Result<Collected> collect(ObjectStore& store, const std::string& job, const CollectOptions& options,
                          std::int64_t now);

/// Removes all that the job has here: manifests first, then shards, then terms, so that what a
/// crash leaves is never a checkpoint with parts missing. Returns how many objects went.
Result<std::size_t> remove_job(ObjectStore& store, const std::string& job);

}  // namespace ringmaster::storage
