// SPDX-License-Identifier: Apache-2.0
//
// The shared memory of a job's ranks on one host: a control page, a slot of flags for each rank
// number, buffers for each slot, and an arena for each rank number. It is a memfd that the agent
// makes and the ranks inherit: it has no name, so nothing is left behind, and it needs no /dev/shm.
// It lives as long as the job: a new generation uses the same memory.
//
// An arena is a stretch of the file and takes no memory before its rank allocates some of it
// (arena.h). Only what comes before the arenas is mapped here.
//
// Who writes what: a rank its own slot and buffers; the agent the abort word, and the flags between
// two generations, when no rank is in a collective. A slot belongs to a rank's number, so that a
// replacement finds its place.
//
// Thread rules: everything that two processes touch is atomic, or ordered by Slot::ready.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/file_descriptor.h"
#include "base/result.h"

namespace ringmaster::collectives {

/// What a rank is about to do, so that the others can compare. Plain: ordered by Slot::ready.
struct Call {
  std::uint32_t kind = 0;
  std::uint32_t type = 0;
  std::uint32_t reduction = 0;
  std::uint32_t root = 0;
  std::uint64_t count = 0;
  friend bool operator==(const Call&, const Call&) = default;
};

/// Says that a rank has come to a chunk, and carries what is small enough: one cache line moves
/// where a flag and its data would be two.
struct alignas(64) Arrival {
  static constexpr std::size_t kPayloadBytes = 56;
  std::atomic<std::uint32_t> count;  // chunk + 1
  std::uint32_t call;                // of the operation, in short: to be compared
  std::byte payload[kPayloadBytes];
};

/// What ranks see of one another. Each word that others poll has a cache line of its own.
struct Slot {
  static constexpr std::size_t kTurns = 3;  // chunks that may be under way (shm_communicator.h)
  Arrival arrivals[kTurns];                 // of chunk c at c % kTurns
  alignas(64) std::atomic<std::uint32_t> reduced;   // chunk + 1: its slice is in the result buffer
  alignas(64) std::atomic<std::uint32_t> sleeping;  // 1: ring the bell after publishing
  std::atomic<std::uint32_t> bell;                  // futex word of the rank's own sleep
  alignas(64) std::atomic<std::int64_t> steps;      // steps finished, for the agent
  std::atomic<std::int64_t> watch;        // the rank tells the agent when `steps` reaches it
  std::atomic<std::uint32_t> save_asked;  // 1: the agent would like a save soon
  std::atomic<std::uint32_t> mail;        // 1: the rank has sent or taken messages
  std::atomic<std::uint64_t> arena_end;   // no byte of the arena behind it has memory
  alignas(64) Call calls[kTurns];         // of the operation that began with that chunk
};
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

/// What one rank sends another. Each side writes a line of its own.
struct Mailbox {
  static constexpr std::size_t kTurns = 2;  // chunks that may be on their way
  static constexpr std::size_t kChunkBytes = 32 * 1024;
  alignas(64) std::atomic<std::uint32_t> sent;   // chunks, since the generation's beginning
  Call sending[kTurns];                          // of the message that begins with the chunk
  alignas(64) std::atomic<std::uint32_t> taken;  // chunks
  std::atomic<std::uint32_t> refused;            // 1: the receiver wants another message
  Call receiving;                                // which one, once it is refused
};

class Segment {
 public:
  /// Bytes of one buffer: the most that one chunk moves for a rank.
  static constexpr std::size_t kBufferBytes = 256 * 1024;
  /// Each rank has one for each turn, for what it gives and for what it has reduced.
  enum class Buffer { input, result };
  /// The value of `watch` when nobody waits.
  static constexpr std::int64_t kNoWatch = INT64_MAX;

  /// Memory for rank numbers 0 to capacity-1. Pages that no rank touches cost nothing. Each rank
  /// may allocate up to `arena_bytes`; 0: as much as this machine has.
  static Result<Segment> create(int capacity, std::size_t arena_bytes = 0);
  /// Maps the segment that the descriptor refers to; a descriptor of something else is an error.
  static Result<Segment> attach(int fd);

  Segment(Segment&& other) noexcept;
  Segment& operator=(Segment&& other) noexcept;
  ~Segment();

  int fd() const { return fd_.get(); }
  int capacity() const;
  Slot& slot(int number) const;
  /// A buffer of the rank number, 64-byte aligned.
  std::byte* buffer(int number, Buffer which, std::size_t turn) const;

  /// Messages of one rank number to another, and where a chunk of theirs goes.
  Mailbox& mailbox(int from, int to) const;
  std::byte* mail_buffer(int from, int to, std::size_t turn) const;

  /// Bytes of each arena, and where in the file that of the number begins.
  std::size_t arena_bytes() const;
  std::uint64_t arena_offset(int number) const;
  /// Gives back a part of the memory of an arena whose rank is gone; false: there is no more.
  bool clear_arena_part(int number) const;

  /// Ends the generation and all older ones: every wait of their ranks returns.
  void abort(std::int64_t generation) const;
  bool aborted(std::int64_t generation) const;
  /// Ends the generation for the users of this object only: their waits return within the 50 ms for
  /// which they sleep at most. For a thread that is still in a collective when its rank leaves.
  void leave(std::int64_t generation) const { left_.store(generation); }
  /// Clears the flags for a new generation. Only while no rank is in a collective.
  void reset() const;
  /// Rings every bell, so that each sleeping rank looks again.
  void wake_all() const;

 private:
  struct Control;
  Segment(FileDescriptor fd, void* memory, std::size_t bytes);
  Control& control() const { return *static_cast<Control*>(memory_); }

  FileDescriptor fd_;
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
  mutable std::atomic<std::int64_t> left_{0};  // the newest generation that was left
};

/// Wakes whoever sleeps on the slot's bell.
void ring_bell(Slot& slot);

}  // namespace ringmaster::collectives
