// SPDX-License-Identifier: Apache-2.0
#include "tests/storm/memory.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace ringmaster::storm {

namespace {

constexpr std::size_t kGuardBytes = 64;  // before and behind an array
constexpr std::byte kGuard{0xa5};
constexpr std::size_t kShiftMax = 256;  // arrays begin anywhere within so many bytes
constexpr std::size_t kKept = 3;        // blocks that nobody uses
constexpr std::align_val_t kBlockAlignment{64};

bool is_guard(const std::byte* from) {
  return std::all_of(from, from + kGuardBytes, [](std::byte b) { return b == kGuard; });
}

}  // namespace

Memory::~Memory() {
  for (const Block& block : blocks_) drop(block);
}

Memory::Block Memory::make(std::size_t bytes, Place place) {
  Block block{nullptr, bytes, place};
  if (place == Place::allocated) {
    auto memory = arena_->allocate(bytes);
    CHECK(memory.ok());
    block.memory = static_cast<std::byte*>(*memory);
    return block;
  }
  block.memory = static_cast<std::byte*>(::operator new(bytes, kBlockAlignment));
  std::memset(block.memory, 0, bytes);
  if (place == Place::registered) CHECK(arena_->adopt(block.memory, bytes).ok());
  return block;
}

void Memory::drop(const Block& block) {
  if (block.place == Place::allocated) {
    CHECK(arena_->free(block.memory).ok());
    return;
  }
  if (block.place == Place::registered) CHECK(arena_->release(block.memory).ok());
  ::operator delete(block.memory, kBlockAlignment);
}

std::byte* Memory::take(std::size_t bytes, std::size_t alignment, Place place) {
  if (arena_ == nullptr) place = Place::ordinary;
  const std::size_t needed = bytes + 2 * kGuardBytes + kShiftMax;
  const auto fits = [&](const Block& block) {
    return block.array == nullptr && block.place == place && block.bytes >= needed;
  };
  auto block = std::find_if(blocks_.begin(), blocks_.end(), fits);
  if (block == blocks_.end() || random_.chance(0.4)) {
    // Sometimes with room for the next one.
    const std::size_t room = random_.chance(0.5) ? needed : needed * 2 + random_.below(20000);
    block = blocks_.insert(blocks_.end(), make(room, place));
  }
  const std::size_t shift = random_.below(kShiftMax / alignment) * alignment;
  block->array = block->memory + kGuardBytes + shift;
  block->array_bytes = bytes;
  std::memset(block->array - kGuardBytes, static_cast<int>(kGuard), kGuardBytes);
  std::memset(block->array + bytes, static_cast<int>(kGuard), kGuardBytes);
  return block->array;
}

bool Memory::give(std::byte* array) {
  const auto used = [&](const Block& block) { return block.array == array; };
  const auto block = std::find_if(blocks_.begin(), blocks_.end(), used);
  CHECK(block != blocks_.end());
  const bool whole = is_guard(array - kGuardBytes) && is_guard(array + block->array_bytes);
  block->array = nullptr;
  const auto free = [](const Block& one) { return one.array == nullptr; };
  const auto kept = static_cast<std::size_t>(std::count_if(blocks_.begin(), blocks_.end(), free));
  if (kept > kKept || random_.chance(0.3)) {
    // Not always the one that came back: an older one, too.
    const auto any = std::find_if(blocks_.begin(), blocks_.end(), free);
    drop(*any);
    blocks_.erase(any);
  }
  return whole;
}

}  // namespace ringmaster::storm
