// SPDX-License-Identifier: Apache-2.0
//
// Looks whether a checkpoint is whole.
//
// Damage is a finding: the object is there and wrong, or missing. An error that may pass (network,
// permission) is an error: taken for damage, it would lead a restore one checkpoint back, and
// throw away finished steps.
#pragma once

#include "storage/layout/manifest.h"
#include "storage/object_store.h"

namespace ringmaster::storage {

/// How closely: shards are there in their sizes (one listing), or every byte is read as well.
enum class Depth { sizes, bytes };

struct Problem {
  std::string key = {};  // the object at fault
  std::string why = {};
  friend bool operator==(const Problem&, const Problem&) = default;
};

struct Inspection {
  CheckpointName name = {};
  std::optional<Manifest> manifest = {};  // when it could be read
  std::optional<Problem> problem = {};    // none: the checkpoint is whole
  bool vanished = false;                  // the manifest itself is not there (any more)
};

Result<Inspection> inspect(ObjectStore& store, const std::string& job, const CheckpointName& name,
                           Depth depth);

/// The first of the shards that is not there in its full size, by listings of their folders.
Result<std::optional<Problem>> find_missing(ObjectStore& store, const std::vector<Shard>& shards);

}  // namespace ringmaster::storage
