// SPDX-License-Identifier: Apache-2.0
//
// A rank's arrays of all kinds: ordinary memory, memory of its arena, and plain buffers adopted by
// the arena. Blocks are kept for a while, given back and allocated again, so that arrays of one
// place follow arrays of another.
//
// Around each array lie bytes that nobody may write.
//
// Thread rules: one thread, the rank's.
#pragma once

#include <vector>

#include "base/random.h"
#include "collectives/shm/arena.h"
#include "tests/storm/call.h"

namespace ringmaster::storm {

class Memory {
 public:
  /// Without an arena all memory is ordinary.
  Memory(collectives::Arena* arena, std::uint64_t seed) : arena_(arena), random_(seed) {}
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// So many bytes, aligned to `alignment` and to nothing more.
  std::byte* take(std::size_t bytes, std::size_t alignment, Place place);
  /// Gives it back. Whether the bytes around it are as they were.
  bool give(std::byte* array);

 private:
  struct Block {
    std::byte* memory = nullptr;
    std::size_t bytes = 0;
    Place place = Place::ordinary;
    std::byte* array = nullptr;  // null: nobody uses it
    std::size_t array_bytes = 0;
  };
  Block make(std::size_t bytes, Place place);
  void drop(const Block& block);

  collectives::Arena* arena_;
  Random random_;
  std::vector<Block> blocks_;
};

}  // namespace ringmaster::storm
