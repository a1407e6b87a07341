// SPDX-License-Identifier: Apache-2.0
//
// One rank's part of a call: its arrays before it, the operation that an engine carries out, and
// what must be there afterwards.
//
// Thread rules: one thread; the operation may be carried out by another one in between.
#pragma once

#include <string>
#include <vector>

#include "collectives/async/operation.h"
#include "tests/storm/call.h"
#include "tests/storm/memory.h"

namespace ringmaster::storm {

class Trial {
 public:
  Trial(const Call& call, int rank, int ranks, Memory& memory);
  ~Trial();
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  const collectives::Operation& operation() const { return operation_; }
  /// After the operation has succeeded: what is wrong, or "". What all ranks hold alike is only
  /// digested where it is not to be `judged`: one rank's look is enough when all digests agree.
  std::string verdict(bool judged);
  /// Of what all ranks hold alike afterwards.
  std::uint64_t digest() const { return digest_; }

 private:
  /// A stretch of an array that must hold something afterwards.
  struct Expected {
    const std::byte* at;
    std::size_t begin, count;  // elements
    const Call* call;
    int rank;  // whose; kReduced: the reduction of all
    bool alike;
  };
  static constexpr int kReduced = -1;
  /// An input that nobody may change.
  struct Input {
    const std::byte* at;
    std::size_t bytes;
    std::uint64_t digest;
  };

  std::byte* take(const Call& call, std::size_t count);
  /// What the rank puts in, which must still be there when nothing is done in place.
  std::byte* put(const Call& call, std::size_t begin, std::size_t count, bool stays);
  void expect(const std::byte* at, std::size_t begin, std::size_t count, const Call& call, int rank,
              bool alike = true);
  std::string judge(const Expected& one) const;
  void prepare();
  void prepare_all_reduce();
  void prepare_reduce_scatter();
  void prepare_all_gather();
  void prepare_all_to_all();
  void prepare_broadcast();
  void prepare_messages();
  void prepare_group();
  std::size_t own(const Counts& counts) const { return counts[static_cast<std::size_t>(rank_)]; }
  Counts taken() const;

  const Call call_;
  int rank_, ranks_;
  Memory& memory_;
  collectives::Operation operation_;
  std::vector<std::byte*> arrays_;
  std::vector<Expected> expected_;
  std::vector<Input> inputs_;
  std::uint64_t digest_ = 0;
};

}  // namespace ringmaster::storm
