// SPDX-License-Identifier: Apache-2.0
//
// Collectives between the ranks of one host, through the job's shared segment.
//
// Everything is made of rounds. In a round each rank writes into one of its two buffers, publishes
// (one store), waits until all have published, and reads the others' buffers. Rounds alternate
// between the buffers, and that alone makes them safe: who has seen round r+1 of everybody knows
// that everybody is done with reading round r, so its buffer may be written in round r+2. There is
// no closing barrier.
//
//   barrier      1 round, nothing written
//   broadcast    1 round a piece: the root writes, the others read
//   all-gather   1 round a piece: everybody writes, everybody reads all
//   all-reduce   small: 1 round, everybody reduces everything for itself (one hop);
//                large: 2 rounds a piece: everybody writes its input, then reduces its slice into
//                its next buffer, then everybody reads all slices. Bytes moved a rank: about 5 for
//                each byte of input, all but the first and last within cache-sized pieces.
//
// Method: the direct reduce-scatter and all-gather over mapped memory that DeepSpeed's CPU
// collectives and NCCL's symmetric kernels also use.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "collectives/communicator.h"
#include "collectives/shm/segment.h"
#include "collectives/shm/waiter.h"

namespace ringmaster::collectives {

/// The ranks of a generation as this engine needs them.
struct ShmMembership {
  std::int64_t generation = 1;
  std::vector<int> numbers;  // rank numbers in order of position
  int position = 0;          // of this rank
  int cpus = 1;              // processors that the ranks of this host may use together
};

class ShmCommunicator : public Communicator {
 public:
  /// The segment outlives the communicator. The agent has reset it for this generation.
  ShmCommunicator(const Segment& segment, ShmMembership membership);

  int size() const override { return static_cast<int>(membership_.numbers.size()); }
  int position() const override { return membership_.position; }
  Result<void> all_reduce(const void* input, void* output, std::size_t count, Type type,
                          Reduction reduction) override;
  Result<void> broadcast(void* data, std::size_t count, Type type, int root) override;
  Result<void> all_gather(const void* input, void* output, std::size_t count, Type type) override;
  Result<void> barrier() override;

 private:
  struct Stretch;  // elements [begin, begin + count) of an array
  /// Starts an operation: writes down the call for the first round.
  Result<void> begin(const Call& call);
  /// Publishes what own_buffer() holds and waits for everybody; then peer_buffer() may be read.
  Result<void> exchange();
  std::byte* own_buffer() const { return peer_buffer(position()); }
  std::byte* peer_buffer(int position) const;
  Slot& slot(int position) const;
  /// The slice of a piece of `count` elements that the position reduces.
  Stretch slice(std::size_t count, int position) const;
  Result<void> reduce_small(const void* input, void* output, std::size_t count, Type type,
                            Reduction reduction);
  Result<void> reduce_piece(const std::byte* input, std::byte* output, std::size_t count, Type type,
                            Reduction reduction);
  Result<void> compare_calls();
  Error failure(Errc code, std::string message);

  const Segment& segment_;
  ShmMembership membership_;
  Waiter waiter_;
  std::uint32_t round_ = 0;    // the last round published
  bool compare_next_ = false;  // the round under way is the first of an operation
  Call call_;
  std::optional<Error> failed_;  // after a mismatch or a time-out nothing can be in step again
};

}  // namespace ringmaster::collectives
