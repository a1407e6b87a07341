// SPDX-License-Identifier: Apache-2.0
#include "collectives/shm/huge_pages.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>

#include "base/time.h"

namespace ringmaster::collectives {

namespace {

constexpr Duration kLongest = std::chrono::milliseconds(500);
#ifdef MADV_COLLAPSE
constexpr int kCollapse = MADV_COLLAPSE;
#else
constexpr int kCollapse = 25;  // of Linux; older headers lack the name
#endif

std::uintptr_t address_of(const void* memory) {
  return reinterpret_cast<std::uintptr_t>(memory);
}

}  // namespace

Result<void*> map_over(void* place, int fd, std::uint64_t offset, std::size_t bytes) {
  void* memory = mmap(place, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
                      static_cast<off_t>(offset));
  if (memory == MAP_FAILED) {
    return errno_error(errno, fmt::format("map {} bytes of shared memory", bytes));
  }
  madvise(memory, bytes, MADV_DONTDUMP);
  madvise(memory, bytes, MADV_HUGEPAGE);
  return memory;
}

Result<void*> map_for_huge_pages(int fd, std::uint64_t offset, std::size_t bytes) {
  // Room for any shift; what is not needed goes back.
  const std::size_t room = bytes + kHugePage;
  void* reserved =
      mmap(nullptr, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) {
    return errno_error(errno, fmt::format("map {} bytes of shared memory", bytes));
  }
  auto* first = static_cast<std::byte*>(reserved);
  const std::size_t shift = (offset - address_of(first)) % kHugePage;
  if (shift > 0) munmap(first, shift);
  munmap(first + shift + bytes, kHugePage - shift);
  auto mapped = map_over(first + shift, fd, offset, bytes);
  if (!mapped) munmap(first + shift, bytes);
  return mapped;
}

void make_huge(void* memory, std::size_t bytes) {
  const std::uintptr_t end = address_of(memory) + bytes;
  std::uintptr_t page = (address_of(memory) + kHugePage - 1) / kHugePage * kHugePage;
  const Time begin = read_clock();
  for (; page + kHugePage <= end && read_clock() - begin < kLongest; page += kHugePage) {
    // No memory for it, an older kernel, or a limit of a control group: it stays as it is.
    if (madvise(reinterpret_cast<void*>(page), kHugePage, kCollapse) != 0) return;
  }
}

}  // namespace ringmaster::collectives
