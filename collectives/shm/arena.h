// SPDX-License-Identifier: Apache-2.0
//
// Memory of a rank that the other ranks of its host see too, so that they reduce it where it is:
// allocated here, or a plain buffer adopted in place.
//
// An arena is the rank's stretch of the segment's file. Its owner maps each block by itself, which
// lets a block lie over a buffer that was there before; the others map the arena from its
// beginning, when they first need it. Where in the file an array lies is all that ranks tell each
// other. Blocks have their memory from the beginning: too little of it is an error here and no
// signal later.
//
// Without a segment (a world of one) the memory is plain.
//
// Thread rules: any thread; allocate, free, adopt, release and find wait for each other. reach() is
// called by the engine's thread alone.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "base/result.h"
#include "collectives/shm/segment.h"

namespace ringmaster::collectives {

/// What others see of an array of bytes: those at [begin, end), and that byte i of the array is
/// byte base + i of its owner's arena (modulo 2^64: the array may begin before its arena).
struct Reach {
  std::uint64_t base = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

class Arena {
 public:
  /// Of the rank number. The segment outlives it; null: memory of this process only. What an
  /// earlier rank of this number left is given back.
  Arena(const Segment* segment, int number);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Zeroed memory, aligned to a page; from 1 MiB on in whole huge pages where the kernel has some.
  Result<void*> allocate(std::size_t bytes);
  Result<void> free(void* memory);

  /// Makes the whole pages of a buffer shared, in place, with what they hold. Nobody may touch the
  /// buffer meanwhile, and its owner may not give it back before it is released. A buffer without
  /// a whole page is left as it is, which is no error.
  Result<void> adopt(void* data, std::size_t bytes);
  /// Makes it ordinary memory again, with what it holds.
  Result<void> release(void* data);

  /// What others can reach of the array; nothing: begin == end.
  Reach find(const void* data, std::size_t bytes) const;
  /// Where byte 0 of another rank's arena is in this process, with at least `bytes` behind it.
  Result<std::byte*> reach(int number, std::uint64_t bytes);

 private:
  struct Block {
    std::byte* memory;     // page-aligned
    std::size_t bytes;     // whole pages
    std::uint64_t offset;  // in the arena
    const void* user;      // what the owner knows it by
    bool adopted;
  };
  struct Window {
    std::byte* memory = nullptr;
    std::size_t bytes = 0;
  };

  /// Memory in the arena that differs from `like` by whole pages of the given size.
  Result<std::uint64_t> reserve(std::size_t bytes, std::size_t page, std::uintptr_t like);
  std::uint64_t find_place(std::size_t bytes, std::size_t page, std::uintptr_t like) const;
  std::uint64_t in_file(std::uint64_t offset) const;
  void give_back(std::uint64_t offset, std::size_t bytes);
  Result<Block> take(const void* user, bool adopted);

  const Segment* segment_;
  const int number_;
  mutable std::mutex mutex_;
  std::map<const std::byte*, Block> blocks_;         // by memory
  std::map<std::uint64_t, std::uint64_t> reserved_;  // offset, bytes
  std::vector<Window> windows_;                      // by rank number
};

}  // namespace ringmaster::collectives
