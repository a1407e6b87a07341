// SPDX-License-Identifier: Apache-2.0
//
// Named tensors, in Horovod's manner: each rank hands them in as it has them, in any order; ranks
// agree on those that all have, fuse them into buckets and reduce these, while the program goes on.
//
// Agreement comes in cycles. Each rank votes, a byte for each name that ranks know, in one small
// all-reduce; what all have voted for is reduced at once. Names that are new, and tensors that have
// waited too long, make the ranks call the roll: everybody tells what it has (roll_call.h). A step
// that hands in the names of the step before costs no roll call.
//
// A rank comes to a cycle when it has something in hand (a millisecond after its first tensor,
// sooner when there is a bucket full of them or somebody waits), and now and then when it has not,
// so that others can learn what it lacks. While it waits for others it sleeps in the engine's own
// wait.
//
// Cycles are collectives like any other, so they need their place in the order of calls: they are
// a batch, one operation of the queue (collectives/async), which is over when all ranks have closed
// it (wait_all, or any other call on the communicator) and nothing is left.
//
// Thread rules: submit(), close_batch() and wait_all() from one thread at a time, hurry() from any,
// run() and fail() on the queue's, stop() before the queue ends.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "collectives/async/work.h"
#include "collectives/tensors/buckets.h"
#include "collectives/tensors/fusion.h"
#include "collectives/tensors/roll_call.h"
#include "collectives/tensors/timeline.h"

namespace ringmaster::collectives {

struct TensorSettings {
  std::uint64_t bucket_bytes = 25 << 20;           // the same on all ranks
  Duration warn_after = std::chrono::seconds(60);  // before a tensor that is kept back is named
  friend bool operator==(const TensorSettings&, const TensorSettings&) = default;
};

class Tensors {
 public:
  static constexpr std::size_t kPendingMost = 4096;  // handed in and not over, on one rank
  static constexpr std::size_t kNameLongest = 255;   // bytes

  struct Batch;  // a stretch of cycles
  struct Submitted {
    WorkPointer work;
    std::shared_ptr<Batch> opened;  // to be run by the queue; null when one was open
  };

  /// Of one generation, whose ranks have `numbers`. `timeline` may be null; `memory` is there as
  /// long as the engine is.
  Tensors(TensorSettings settings, std::vector<int> numbers, FusionMemory& memory,
          std::shared_ptr<Timeline> timeline);

  /// Hands a tensor in; in place when `input` is `output`. A name is free again when it is over.
  Result<Submitted> submit(Tensor tensor, const void* input, void* output);
  /// Nothing more comes into the batch that is open, if one is.
  void close_batch();
  /// Closes the batch and waits until all that was handed in is over, at most so long: the first
  /// error since the last call, or Errc::timed_out while some of it is on its way.
  Result<void> wait_all(Duration at_most);
  /// Somebody waits for a tensor: it waits for no others to come with it.
  void hurry();
  /// Who keeps back what, as the last roll call had it; "" for nothing.
  std::string warning() const;

  /// A whole batch; after an error fail() is due.
  Result<void> run(Communicator& engine, Batch& batch);
  /// Ends the tensors that are left in the batch.
  void fail(Batch& batch, const Error& error);
  /// Ends the batch under way once its engine's wait has ended.
  void stop();
  /// Cycles in which the roll was called: to see that agreement is cheap.
  std::uint64_t roll_calls() const { return roll_calls_; }
  std::uint64_t copied() const { return fusion_.copied(); }

 private:
  struct Pending;
  struct Known {
    Tensor tensor;
    std::uint64_t address;
  };

  Result<bool> cycle(Communicator& engine, Batch& batch);
  bool wait_for_news(const Batch& batch);
  Duration worth_waiting(const Batch& batch) const;
  std::vector<std::uint8_t> vote(Batch& batch) const;
  Error explain(const Batch& batch, const Error& error) const;
  Result<void> call_roll(Communicator& engine, Batch& batch);
  Announcement announce(Batch& batch, Duration timeout) const;
  void learn(const Announcement& first);
  Result<void> reduce(Communicator& engine, Batch& batch, std::vector<Pending> ready);
  Result<void> reduce_bucket(Communicator& engine, const std::vector<Pending>& ready,
                             const std::vector<std::size_t>& bucket);
  std::vector<Pending> take(Batch& batch, const std::vector<std::size_t>& ids);
  void finish(const Pending& pending, const Result<void>& result);
  void trace(const Pending& pending, const FusionTimes& times) const;

  const TensorSettings settings_;
  const std::vector<int> numbers_;
  const std::shared_ptr<Timeline> timeline_;

  // Of the queue's thread.
  std::vector<Known> known_;  // what ranks vote on; the same on all ranks
  std::unordered_map<std::string, std::size_t> ids_;
  Fusion fusion_;
  std::atomic<std::uint64_t> roll_calls_{0};
  bool progress_ = true;  // the last cycle brought something
  Duration pace_{};       // between cycles that bring nothing
  Time next_look_{};      // when tensors that wait are a reason to call the roll
  Duration look_after_{};

  mutable std::mutex mutex_;
  std::condition_variable changed_, all_over_;
  std::shared_ptr<Batch> current_;  // takes what is handed in
  std::unordered_set<std::string> names_;
  std::size_t outstanding_ = 0;
  std::optional<Error> first_error_;
  std::string warning_;
  std::uint64_t changes_ = 0, seen_ = 0;
  bool hurry_ = false;
  bool stopped_ = false;
};

}  // namespace ringmaster::collectives
