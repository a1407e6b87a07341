// SPDX-License-Identifier: Apache-2.0
#include "collectives/shm/arena.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "collectives/shm/huge_pages.h"

namespace ringmaster::collectives {

namespace {

constexpr std::size_t kArenaPage = 4096;
// The least that is mapped of another rank's arena, so that growing it is rare.
constexpr std::size_t kWindowLeast = 64 * 1024 * 1024;

std::size_t whole_pages(std::size_t bytes, std::size_t page = kArenaPage) {
  return (bytes + page - 1) / page * page;
}

}  // namespace

Arena::Arena(const Segment* segment, int number) : segment_(segment), number_(number) {
  if (segment_ == nullptr) return;
  while (segment_->clear_arena_part(number_)) {
  }
  windows_.resize(static_cast<std::size_t>(segment_->capacity()));
}

Arena::~Arena() {
  while (!blocks_.empty()) {
    const Block block = blocks_.begin()->second;
    // An adopted buffer is its owner's, who may still use it.
    const bool released = block.adopted ? release(const_cast<void*>(block.user)).ok()
                                        : free(const_cast<void*>(block.user)).ok();
    CHECK(released);
  }
  for (const Window& window : windows_) {
    if (window.memory != nullptr) munmap(window.memory, window.bytes);
  }
}

/// The first gap; behind all blocks when there is none.
std::uint64_t Arena::find_place(std::size_t bytes, std::size_t page, std::uintptr_t like) const {
  const auto fit = [&](std::uint64_t from) { return from + (like - from) % page; };
  std::uint64_t place = fit(0);
  for (const auto& [begin, length] : reserved_) {
    if (place + bytes <= begin) break;
    place = fit(std::max(place, begin + length));
  }
  return place;
}

std::uint64_t Arena::in_file(std::uint64_t offset) const {
  return segment_->arena_offset(number_) + offset;
}

Result<std::uint64_t> Arena::reserve(std::size_t bytes, std::size_t page, std::uintptr_t like) {
  const std::uint64_t offset = find_place(bytes, page, like);
  if (bytes > segment_->arena_bytes() - std::min<std::uint64_t>(offset, segment_->arena_bytes())) {
    return Error{Errc::exhausted, fmt::format("allocate {} bytes that all ranks of this host see: "
                                              "each may have {} (this machine's memory)",
                                              bytes, segment_->arena_bytes())};
  }
  auto& end = segment_->slot(number_).arena_end;
  end.store(std::max<std::uint64_t>(end.load(), offset + bytes));
  const auto at = static_cast<off_t>(in_file(offset));
  if (fallocate(segment_->fd(), 0, at, static_cast<off_t>(bytes)) != 0) {
    const int reason = errno;
    give_back(offset, bytes);  // what it had got so far
    return errno_error(reason, fmt::format("allocate {} bytes of shared memory", bytes));
  }
  reserved_[offset] = bytes;
  return offset;
}

void Arena::give_back(std::uint64_t offset, std::size_t bytes) {
  reserved_.erase(offset);
  const auto at = static_cast<off_t>(in_file(offset));
  CHECK_EQ(fallocate(segment_->fd(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, at,
                     static_cast<off_t>(bytes)),
           0);
}

Result<void*> Arena::allocate(std::size_t bytes) {
  if (bytes > SIZE_MAX / 2) return Error{Errc::exhausted, "allocate: more bytes than memory"};
  const std::lock_guard lock(mutex_);
  const std::size_t page = bytes >= kHugePage / 2 ? kHugePage : kArenaPage;
  const std::size_t whole = whole_pages(std::max<std::size_t>(bytes, 1), page);
  std::uint64_t offset = 0;
  void* memory = MAP_FAILED;
  if (segment_ == nullptr) {
    memory = mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return errno_error(errno, fmt::format("allocate {} bytes", bytes));
  } else {
    auto reserved = reserve(whole, page, 0);
    if (!reserved) return reserved.error();
    offset = *reserved;
    auto mapped = map_for_huge_pages(segment_->fd(), in_file(offset), whole);
    if (!mapped) {
      give_back(offset, whole);
      return mapped.error();
    }
    memory = *mapped;
    make_huge(memory, whole);
  }
  auto* first = static_cast<std::byte*>(memory);
  blocks_[first] = {first, whole, offset, memory, false};
  return memory;
}

Result<Arena::Block> Arena::take(const void* user, bool adopted) {
  for (auto at = blocks_.begin(); at != blocks_.end(); ++at) {
    if (at->second.user != user || at->second.adopted != adopted) continue;
    const Block block = at->second;
    blocks_.erase(at);
    return block;
  }
  return Error{Errc::not_found, adopted ? "release: this memory was not registered"
                                        : "free: this memory was not allocated here"};
}

Result<void> Arena::free(void* memory) {
  if (memory == nullptr) return {};
  const std::lock_guard lock(mutex_);
  const auto block = take(memory, false);
  if (!block) return block.error();
  CHECK_EQ(munmap(block->memory, block->bytes), 0);
  if (segment_ != nullptr) give_back(block->offset, block->bytes);
  return {};
}

Result<void> Arena::adopt(void* data, std::size_t bytes) {
  if (segment_ == nullptr) return {};
  const std::lock_guard lock(mutex_);
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  const std::uintptr_t begin = whole_pages(address);
  const std::uintptr_t end = (address + bytes) / kArenaPage * kArenaPage;
  if (begin < address || address + bytes < address || begin >= end) {
    // No whole page: to be released like others, and nothing to reach.
    auto* place = static_cast<std::byte*>(data);
    blocks_.try_emplace(place, Block{place, 0, 0, data, true});
    return {};
  }
  auto* first = reinterpret_cast<std::byte*>(begin);
  const std::size_t whole = end - begin;
  const auto next = blocks_.lower_bound(first);
  const bool before =
      next != blocks_.begin() && std::prev(next)->first + std::prev(next)->second.bytes > first;
  if (before || (next != blocks_.end() && next->first < first + whole)) {
    return Error{Errc::invalid, "register: a part of this memory is registered already"};
  }
  auto offset = reserve(whole, kHugePage, begin);
  if (!offset) return offset.error();
  // Copied first, then laid over the buffer in one step: it is never seen empty.
  auto copy = map_for_huge_pages(segment_->fd(), in_file(*offset), whole);
  if (copy) {
    make_huge(*copy, whole);
    std::memcpy(*copy, first, whole);
    munmap(*copy, whole);
    copy = map_over(first, segment_->fd(), in_file(*offset), whole);
  }
  if (!copy) {
    give_back(*offset, whole);
    return copy.error();
  }
  blocks_[first] = {first, whole, *offset, data, true};
  return {};
}

Result<void> Arena::release(void* data) {
  if (segment_ == nullptr) return {};
  const std::lock_guard lock(mutex_);
  const auto block = take(data, true);
  if (!block) return block.error();
  if (block->bytes == 0) return {};
  void* plain =
      mmap(nullptr, block->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (plain == MAP_FAILED) {
    const int reason = errno;
    blocks_[block->memory] = *block;
    return errno_error(reason, fmt::format("release {} bytes of shared memory", block->bytes));
  }
  std::memcpy(plain, block->memory, block->bytes);
  CHECK(mremap(plain, block->bytes, block->bytes, MREMAP_MAYMOVE | MREMAP_FIXED, block->memory) ==
        block->memory);
  give_back(block->offset, block->bytes);
  return {};
}

Reach Arena::find(const void* data, std::size_t bytes) const {
  if (segment_ == nullptr) return {};
  const std::lock_guard lock(mutex_);
  const auto* first = static_cast<const std::byte*>(data);
  // The block that holds the array's middle: one that was adopted lacks some of both ends.
  auto at = blocks_.upper_bound(first + bytes / 2);
  if (at == blocks_.begin()) return {};
  const Block& block = std::prev(at)->second;
  const std::byte* begin = std::max<const std::byte*>(first, block.memory);
  const std::byte* end = std::min<const std::byte*>(first + bytes, block.memory + block.bytes);
  if (begin >= end) return {};
  return {block.offset + static_cast<std::uint64_t>(first - block.memory),
          static_cast<std::uint64_t>(begin - first), static_cast<std::uint64_t>(end - first)};
}

Result<std::byte*> Arena::reach(int number, std::uint64_t bytes) {
  CHECK(segment_ != nullptr);
  Window& window = windows_.at(static_cast<std::size_t>(number));
  if (window.bytes >= bytes) return window.memory;
  const std::size_t wanted =
      std::min<std::size_t>(std::max(std::bit_ceil(bytes), kWindowLeast), segment_->arena_bytes());
  if (bytes > wanted) {
    return Error{Errc::corrupt, fmt::format("rank {} gave a place outside its arena", number)};
  }
  auto memory = map_for_huge_pages(segment_->fd(), segment_->arena_offset(number), wanted);
  if (!memory) return memory.error();
  if (window.memory != nullptr) munmap(window.memory, window.bytes);
  window = {static_cast<std::byte*>(*memory), wanted};
  return window.memory;
}

}  // namespace ringmaster::collectives
