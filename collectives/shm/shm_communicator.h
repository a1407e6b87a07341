// SPDX-License-Identifier: Apache-2.0
//
// Collectives between the ranks of one host, through the job's shared segment.
//
// Everything is made of chunks, counted from the generation's beginning. A rank that comes to a
// chunk puts its part into its input buffer of that turn (the chunk modulo three) and says that it
// has arrived; who has seen all arrive reads the others' buffers. In a longer operation a rank is
// at several chunks at once, so that it seldom waits: it gives chunk c, reduces or reads chunk c-1,
// and collects the results of chunk c-2.
//
// Three turns make this safe without a closing barrier. Whoever has arrived at chunk c has done
// with the input buffers of chunk c-2, and with the result buffers of chunk c-3: so a buffer for c
// is written once all have arrived at c-1 (inputs), or at c (results).
//
//   barrier         1 chunk, nothing written
//   broadcast       the root gives, the others read
//   all-gather      everybody gives, everybody reads all
//   all-to-all      the same with a block for each, after a look at what all give and take
//   reduce-scatter  the same, reduced while it is read
//   all-reduce      tiny: within the arrival's cache line; small: everybody gives all and reduces
//                   everything for itself (one hop); large: everybody gives what others reduce,
//                   reduces its slice from its own memory and the others' buffers into its output
//                   and its result buffer, and collects the others' slices. What leaves the caches
//                   is each input once and each output once.
//
// Memory that all ranks see (arena.h) goes without buffers: everybody says where its arrays are,
// reads the others' (in an all-reduce: its slice of all inputs, into all outputs), and waits for
// the others. That is each input read once, each output written once, and two hops. Ranks learn
// only with the first chunk who has such memory; when some have not, buffers do it all.
//
// Method: the direct reduce-scatter and all-gather over mapped memory that DeepSpeed's CPU
// collectives and NCCL's symmetric kernels also use; the pipeline and its turns are ours.
#pragma once

#include <optional>
#include <vector>

#include "collectives/communicator.h"
#include "collectives/shm/arena.h"
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
  /// The segment and the arena outlive the communicator. The agent has reset the segment for this
  /// generation. Without an arena this rank's memory is seen by no other.
  ShmCommunicator(const Segment& segment, ShmMembership membership, Arena* arena = nullptr);

  using Communicator::all_gather;
  int size() const override { return static_cast<int>(membership_.numbers.size()); }
  int position() const override { return membership_.position; }
  Result<void> all_reduce(const void* input, void* output, std::size_t count, Type type,
                          Reduction reduction) override;
  Result<void> reduce_scatter(const void* input, void* output, const Counts& counts, Type type,
                              Reduction reduction) override;
  Result<void> all_gather(const void* input, void* output, const Counts& counts,
                          Type type) override;
  Result<void> all_to_all(const void* input, const Counts& give, void* output, const Counts& take,
                          Type type) override;
  Result<void> broadcast(void* data, std::size_t count, Type type, int root) override;
  Result<void> barrier() override;
  Result<void> exchange(const std::vector<Transfer>& sends,
                        const std::vector<Transfer>& receives) override;

 private:
  using Chunk = std::uint64_t;
  struct Places;
  struct Offer;      // an array that others may read where it is (shm_shown.h)
  struct AllReduce;  // one in the middle of it (shm_all_reduce.h)

  Slot& slot(int position) const;
  Arrival& arrival(int position, Chunk chunk) const;
  std::byte* buffer(int position, Segment::Buffer which, Chunk chunk) const;
  std::byte* input_of(int position, Chunk chunk) const;

  /// Starts an operation with the chunk that comes next: its call is written down.
  Result<void> begin(const Call& call);
  /// Until the input buffer of the chunk may be written.
  Result<void> claim(Chunk chunk) { return chunk == 0 ? Result<void>() : wait_arrived(chunk - 1); }
  void arrive(Chunk chunk);
  /// Waits until all have arrived; at an operation's first chunk their calls are compared.
  Result<void> wait_arrived(Chunk chunk);
  void publish_reduced(Chunk chunk);
  Result<void> wait_reduced(Chunk chunk);
  /// Gives into input buffers and reads them a chunk later. `begun` chunks have been given.
  template <class Give, class Read>
  Result<void> pass(std::size_t chunks, const Give& give, const Read& read, std::size_t begun = 0);
  Result<std::uint64_t> compare_parts(const Counts& give, const Counts& take, std::size_t width);
  Result<void> wait_for(int position, const std::atomic<std::uint32_t>& word, std::uint32_t target);
  Result<void> outcome(Waiter::End end, int awaited_number);
  Error aborted() const;
  bool anyone_sleeps() const;
  bool all_arrived(Chunk chunk) const;
  void ring_sleepers();
  Result<void> compare_calls(Chunk chunk);
  Result<void> reduce_tiny(const AllReduce& all);
  /// Through buffers. `asked`: with the first chunk ranks say where their arrays are.
  Result<void> reduce_ordinary(const AllReduce& all, bool asked);
  Result<void> reduce_small(const AllReduce& all, bool asked);
  Result<void> reduce_piped(const AllReduce& all, bool asked);
  void give(const AllReduce& all, std::size_t n);
  void reduce_slice(const AllReduce& all, std::size_t n);
  void collect(const AllReduce& all, std::size_t n);
  /// Where it is (shm_direct.cc).
  Places places_of(const AllReduce& all) const;
  void say_places(const Places& places);
  Places places_at(int position, Chunk chunk) const;
  bool anyone_shares(Chunk chunk) const;
  Reach common_stretch(const AllReduce& all, Chunk chunk) const;
  Result<void> reduce_shared(const AllReduce& all, const Places& own);
  Result<void> reduce_direct(const AllReduce& all, Reach common, Chunk chunk);
  void reduce_and_hand_out(const AllReduce& all, std::size_t count);
  // Messages between two (shm_exchange.cc).
  struct Lane;
  std::vector<Lane> lanes_of(const std::vector<Transfer>& sends,
                             const std::vector<Transfer>& receives) const;
  bool send_chunk(Lane& lane);
  Result<bool> take_chunk(Lane& lane);
  Result<bool> move_mail(std::vector<Lane>& lanes);
  Result<void> wait_for_mail(const std::vector<Lane>& lanes);
  Error mail_mismatch(const Call& sent, const Lane& lane);
  Error failure(Errc code, std::string message);
  int number(int position) const { return membership_.numbers[static_cast<std::size_t>(position)]; }

  const Segment& segment_;
  ShmMembership membership_;
  Arena* arena_;
  Waiter waiter_;
  Chunk next_ = 0;      // the first chunk of the next operation
  Chunk all_here_ = 0;  // all have been seen at the chunks below
  Chunk compare_ = 0;   // the first chunk of the operation under way
  bool compared_ = true;
  Call call_;
  std::vector<const void*> inputs_;  // of a reduction; kept for their memory
  std::vector<void*> outputs_;
  std::vector<std::byte> scratch_;
  std::optional<Error> failed_;  // after a mismatch or a time-out nothing can be in step again
};

}  // namespace ringmaster::collectives
