// SPDX-License-Identifier: Apache-2.0
//
// What the core knows of checkpoints: what happens to them (the events), shards as agents report
// them, and how far a job's saves have come. Bytes and stores are the shells' business
// (storage/checkpoint).
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "jobs/core/ids.h"

namespace ringmaster::jobs {

/// A stretch of a block of the state, and where it lies in the shard's file.
struct ShardChunk {
  std::int64_t block = 0;
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
  std::int64_t begin = 0;
};

/// What one rank's part of a save became.
struct StoredShard {
  std::string key = {};
  std::int64_t bytes = 0;
  std::uint32_t crc = 0;
  std::vector<ShardChunk> chunks = {};
};

/// Which checkpoint.
struct CheckpointAt {
  Term term = {};
  std::int64_t steps = -1;  // -1: there is none
  bool exists() const { return steps >= 0; }
  friend auto operator<=>(const CheckpointAt&, const CheckpointAt&) = default;
};

/// A rank's share of the state after `steps` steps is in the store. The rank may be dead by now.
struct ShardWritten {
  RankId id;
  Generation generation;
  std::int64_t steps = 0;
  int position = 0;
  int members = 1;                   // of that generation
  std::vector<std::int64_t> blocks;  // bytes of each block of the whole state
  StoredShard shard;
};
/// It is not, and will not be.
struct ShardFailed {
  RankId id;
  std::int64_t steps = 0;
  std::string why;
};
/// The answer to OpenTerm. `newest`: what the job may go on from, if anything.
struct TermOpened {
  JobId job;
  std::int64_t request = 0;  // which OpenTerm is answered
  Term term;
  CheckpointAt newest;
  std::string passed_over;  // newer ones that are damaged, for people
};
struct TermFailed {
  JobId job;
  std::int64_t request = 0;
  std::string why;
};
/// The answers to CommitCheckpoint.
struct CheckpointCommitted {
  JobId job;
  Term term;
  std::int64_t steps = 0;
};
struct CheckpointFailed {
  JobId job;
  std::int64_t steps = 0;
  std::string why;
};
/// A save on its way: its shards by position, as far as they are written.
struct Save {
  std::int64_t steps = 0;
  std::vector<std::int64_t> blocks = {};  // bytes of each block of the state
  std::vector<std::optional<StoredShard>> shards = {};
  bool complete() const {
    for (const auto& shard : shards) {
      if (!shard) return false;
    }
    return !shards.empty();
  }
};

/// How far a job's saves have come.
struct Saves {
  /// A generation that breaks leaves a save behind that will never be whole; newer ones push it
  /// out.
  static constexpr std::size_t kCollectingMax = 8;

  Term term;  // opened last; 0: none yet
  // A term was asked for, and no generation is formed before the answer to that very request: one
  // that another coordinator asks for on its own account answers an older one.
  bool opening = false;
  std::int64_t request = 0;
  CheckpointAt durable;                 // the newest one that counts
  std::optional<CheckpointAt> restore;  // what ranks start from that hold nothing
  Generation since;  // shards of older generations are of a history that was left
  std::map<std::pair<Generation, std::int64_t>, Save> collecting;  // by generation and steps
  std::optional<Save> committing;  // given to the store, not answered
  bool asked = false;  // a host will be taken: a save before that is wanted, and not made yet
  std::int64_t failed_steps = -1;  // the last save that was said to have failed
};

}  // namespace ringmaster::jobs
