// SPDX-License-Identifier: Apache-2.0
//
// What collection removes: a decision from a listing, the time and which checkpoints are whole.
//
// A manifest goes at once, its shards only after a grace period, because somebody may have read the
// manifest and be loading. The time when it went is kept in a mark beside it, not taken from the
// store: clocks of stores differ from ours, and some stores tell no time.
//
// Pure. The calls: collect.h.
#pragma once

#include <set>

#include "storage/checkpoint/line.h"

namespace ringmaster::storage {

struct CollectionInput {
  Line line = {};
  std::vector<std::int64_t> terms = {};        // that have a claim or an opening
  std::vector<CheckpointName> manifests = {};  // all that are listed
  std::vector<CheckpointName> whole = {};      // the newest whole ones of the line, in its order
  std::set<std::string> referred = {};         // shard keys that any listed manifest names,
                                               // the ones to be removed in this run left out
  std::map<CheckpointName, std::vector<std::string>> shards = {};  // by folder
  std::map<CheckpointName, std::int64_t> marks = {};               // seconds
  std::int64_t keep = 1;
  std::int64_t grace_seconds = 0;
  std::int64_t now = 0;  // seconds since 1970
};

/// The calls to make, in this order: marks, manifests, shards, marks to remove, terms to remove.
struct Collection {
  std::vector<CheckpointName> mark = {};
  std::vector<CheckpointName> manifests = {};
  std::vector<std::string> shards = {};
  std::vector<CheckpointName> unmark = {};
  std::vector<std::int64_t> terms = {};
};

/// Which manifests go. Nothing on the line when fewer than `keep` are whole.
std::vector<CheckpointName> doomed_manifests(const Line& line,
                                             const std::vector<CheckpointName>& manifests,
                                             const std::vector<CheckpointName>& whole,
                                             std::int64_t keep);

Collection plan_collection(const CollectionInput& input);

}  // namespace ringmaster::storage
