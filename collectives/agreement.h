// SPDX-License-Identifier: Apache-2.0
//
// Makes sure that all ranks are about to do the same, for engines whose library would hang or mix
// up data when they are not (NCCL, MPI): every rank hears every rank's call before any of it runs.
//
// It costs one small all-gather an operation. All ranks see the same calls, so all come to the same
// verdict, and the error is on all of them. The same gather tells where the arrays lie: a rank that
// only takes part in a broadcast (a null pointer) cannot know by itself which way the others go.
//
// Thread rules: one thread, that of the communicator.
#pragma once

#include <functional>
#include <vector>

#include "collectives/call_text.h"

namespace ringmaster::collectives {

/// Where the arrays of a call lie.
enum class Memory : std::uint64_t {
  none,          // no array here: a null pointer, or nothing in it
  host,          // all of them in ordinary or pinned host memory
  device,        // all of them on this rank's GPU
  both,          // one here and one there
  other_device,  // on a GPU that this rank did not say it uses
};

/// What all ranks are about to use.
struct Agreed {
  Memory memory = Memory::host;  // host or device
  bool null_somewhere = false;   // some rank has no array
};

class Agreement {
 public:
  /// Puts everybody's `bytes` bytes into `all`, in the order of positions.
  using Gather = std::function<Result<void>(const void* own, void* all, std::size_t bytes)>;

  /// `numbers`: of the ranks by position, for messages.
  Agreement(std::vector<int> numbers, int position, Gather gather);

  /// Errc::mismatch when a call differs, Errc::invalid when the memory of one cannot be.
  Result<Agreed> agree(const Call& call, Memory memory);
  /// The same for a group of all-reduces: as many, and each like the others' one of that place.
  Result<Agreed> agree_group(const std::vector<Reduce>& group, Memory memory);
  /// After agree() on an all-to-all: what each gives is what the other takes. The result is the
  /// largest part that any position gives another.
  Result<std::size_t> agree_parts(const Counts& give, const Counts& take);

 private:
  struct Entry {
    Call call;
    std::uint64_t memory = 0;
  };
  Result<std::vector<Entry>> gather_entries(const Call& call, Memory memory);
  /// The first call that is not like position 0's: an error that names both.
  Result<void> compare(const std::vector<Entry>& entries) const;
  Result<Agreed> judge_memory(const std::vector<Entry>& entries) const;
  Error group_difference(const std::vector<Entry>& heads, const std::vector<Reduce>& group);
  std::size_t size() const { return numbers_.size(); }

  std::vector<int> numbers_;
  int position_;
  Gather gather_;
};

}  // namespace ringmaster::collectives
