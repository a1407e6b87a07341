// SPDX-License-Identifier: Apache-2.0
//
// Writing checkpoints: open a term, write shards, commit.
//
// Ranks stage, agents upload, the coordinator commits: so the three steps share no object, only
// values that can be sent. Every step may be repeated after an error; a repeat does no harm.
// docs/checkpoint-format.md says why the order of the calls is what it is.
#pragma once

#include "storage/checkpoint/inspect.h"
#include "storage/checkpoint/line.h"
#include "storage/checkpoint/newest.h"

namespace ringmaster::storage {

/// A turn at writing a job's checkpoints.
struct Term {
  std::string job = {};
  std::int64_t number = 0;
  std::optional<Manifest> resumes = {};  // what to load; none: there is no whole checkpoint
  std::vector<Problem> skipped = {};     // newer ones that are damaged
};

/// Takes over: older terms can commit nothing that counts any more. Errc::fenced when somebody else
/// takes over at the same time and is newer.
Result<Term> open_term(ObjectStore& store, const std::string& job, Depth depth = Depth::bytes);

/// A chunk and its bytes, in memory that does not change during the call.
struct StagedChunk {
  Tensor tensor = {};
  Box box = {};
  std::string_view bytes = {};
};

/// What an agent reports of a shard that it wrote.
struct WrittenChunk {
  Tensor tensor = {};
  Box box = {};
  std::uint64_t begin = 0;  // in the shard's file
};
struct WrittenShard {
  Shard shard = {};
  std::vector<WrittenChunk> chunks = {};
};

/// Writes a rank's shard. Errc::invalid when a chunk's bytes do not fit its box.
Result<WrittenShard> write_shard(ObjectStore& store, const std::string& job, const ShardName& name,
                                 const std::vector<StagedChunk>& chunks);

/// The manifest that these shards make. Errc::invalid when they do not cover every tensor exactly
/// once. Pure.
Result<Manifest> assemble(const std::string& job, const CheckpointName& name, std::int64_t world,
                          const std::vector<Tensor>& tensors,
                          const std::vector<WrittenShard>& shards);

/// Makes the checkpoint exist. On success it counts. Errc::fenced: a newer term has taken over, it
/// may or may not count. Errc::corrupt: a shard is not there as reported, or the manifest's place
/// is taken by something else. After any other error it may or may not be there: repeat the call.
Result<void> commit(ObjectStore& store, const Term& term, const Manifest& manifest);

}  // namespace ringmaster::storage
