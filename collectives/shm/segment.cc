// SPDX-License-Identifier: Apache-2.0
#include "collectives/shm/segment.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <new>

#include "collectives/shm/huge_pages.h"

namespace ringmaster::collectives {

/// What tells a segment from other files, and how large it is.
struct SegmentHead {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t capacity;
  std::uint64_t arena_bytes;
};

struct Segment::Control {
  SegmentHead head;
  alignas(64) std::atomic<std::int64_t> aborted;
};

namespace {

constexpr std::uint64_t kMagic = 0x74736d676e697200;  // "ringmst" in a dump
constexpr std::uint32_t kVersion = 5;
constexpr std::size_t kPage = 4096;
// Some milliseconds of the kernel's time.
constexpr std::size_t kClearedAtOnce = 64 * 1024 * 1024;
constexpr std::size_t kBuffers = 2 * Slot::kTurns;  // of one rank

std::size_t to_pages(std::size_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

std::size_t pairs(int capacity) {
  return static_cast<std::size_t>(capacity) * static_cast<std::size_t>(capacity);
}

std::size_t mailboxes_offset(int capacity) {
  return to_pages(kPage + static_cast<std::size_t>(capacity) * sizeof(Slot));
}

std::size_t mail_offset(int capacity) {
  return to_pages(mailboxes_offset(capacity) + pairs(capacity) * sizeof(Mailbox));
}

std::size_t buffers_offset(int capacity) {
  return mail_offset(capacity) + pairs(capacity) * Mailbox::kTurns * Mailbox::kChunkBytes;
}

/// What is mapped: everything but the arenas.
std::size_t mapped_bytes(int capacity) {
  return buffers_offset(capacity) +
         static_cast<std::size_t>(capacity) * kBuffers * Segment::kBufferBytes;
}

/// Arenas begin where a huge page may.
std::uint64_t arenas_offset(int capacity) {
  return (mapped_bytes(capacity) + kHugePage - 1) / kHugePage * kHugePage;
}

std::uint64_t file_bytes(int capacity, std::uint64_t arena_bytes) {
  return arenas_offset(capacity) + static_cast<std::uint64_t>(capacity) * arena_bytes;
}

/// No rank can allocate more than the machine has.
std::size_t machine_bytes() {
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  CHECK(pages > 0 && page > 0);
  return static_cast<std::size_t>(pages) * static_cast<std::size_t>(page);
}

Result<void*> map(int fd, std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) {
    return errno_error(errno, fmt::format("map {} bytes of shared memory", bytes));
  }
  return memory;
}

}  // namespace

Result<Segment> Segment::create(int capacity, std::size_t arena_bytes) {
  CHECK_LT(0, capacity);
  if (arena_bytes == 0) arena_bytes = machine_bytes();
  arena_bytes = (arena_bytes + kHugePage - 1) / kHugePage * kHugePage;
  FileDescriptor fd(memfd_create("ringmaster", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd.valid()) return errno_error(errno, "make shared memory (memfd_create)");
  const std::uint64_t whole = file_bytes(capacity, arena_bytes);
  if (ftruncate(fd.get(), static_cast<off_t>(whole)) != 0) {
    return errno_error(errno, fmt::format("make {} bytes of shared memory", whole));
  }
  // The size is fixed: a rank that shrank it would end the others with SIGBUS.
  if (fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return errno_error(errno, "seal the size of shared memory");
  }
  const std::size_t bytes = mapped_bytes(capacity);
  auto memory = map(fd.get(), bytes);
  if (!memory) return memory.error();
  new (*memory) Control{{kMagic, kVersion, static_cast<std::uint32_t>(capacity), arena_bytes}, 0};
  Segment segment(std::move(fd), *memory, bytes);
  for (int number = 0; number < capacity; ++number) {
    segment.slot(number).watch.store(kNoWatch);
  }
  return segment;
}

Result<Segment> Segment::attach(int fd) {
  struct stat status {};
  if (fstat(fd, &status) != 0) {
    return errno_error(errno, fmt::format("look at shared memory (descriptor {})", fd));
  }
  const auto whole = static_cast<std::uint64_t>(status.st_size);
  if (whole < kPage) return Error{Errc::corrupt, fmt::format("descriptor {}: no segment", fd)};
  FileDescriptor own(fcntl(fd, F_DUPFD_CLOEXEC, 0));
  if (!own.valid()) return errno_error(errno, "duplicate the shared memory's descriptor");
  SegmentHead head{};
  const bool read = pread(own.get(), &head, sizeof head, 0) == sizeof head;
  const bool known = read && head.magic == kMagic && head.version == kVersion;
  // The file's size bounds the numbers before they are multiplied.
  if (!known || head.capacity == 0 || head.capacity > whole / sizeof(Slot) ||
      head.arena_bytes > whole / head.capacity ||
      file_bytes(static_cast<int>(head.capacity), head.arena_bytes) != whole) {
    return Error{Errc::corrupt, fmt::format("descriptor {}: no segment of this version", fd)};
  }
  const std::size_t bytes = mapped_bytes(static_cast<int>(head.capacity));
  auto memory = map(own.get(), bytes);
  if (!memory) return memory.error();
  return Segment(std::move(own), *memory, bytes);
}

Segment::Segment(FileDescriptor fd, void* memory, std::size_t bytes)
    : fd_(std::move(fd)), memory_(memory), bytes_(bytes) {}

Segment::Segment(Segment&& other) noexcept
    : fd_(std::move(other.fd_)),
      memory_(std::exchange(other.memory_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

Segment& Segment::operator=(Segment&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(memory_, other.memory_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

Segment::~Segment() {
  if (memory_ != nullptr) munmap(memory_, bytes_);
}

int Segment::capacity() const {
  return static_cast<int>(control().head.capacity);
}

std::size_t Segment::arena_bytes() const {
  return control().head.arena_bytes;
}

std::uint64_t Segment::arena_offset(int number) const {
  CHECK(number >= 0 && number < capacity());
  return arenas_offset(capacity()) + static_cast<std::uint64_t>(number) * arena_bytes();
}

bool Segment::clear_arena_part(int number) const {
  auto& end = slot(number).arena_end;
  const std::uint64_t used = end.load();
  if (used == 0) return false;
  const std::uint64_t bytes = std::min<std::uint64_t>(used, kClearedAtOnce);
  const auto at = static_cast<off_t>(arena_offset(number) + used - bytes);
  CHECK_EQ(
      fallocate(fd(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, at, static_cast<off_t>(bytes)),
      0);
  end.store(used - bytes);
  return true;
}

Slot& Segment::slot(int number) const {
  CHECK(number >= 0 && number < capacity());
  return reinterpret_cast<Slot*>(static_cast<std::byte*>(memory_) + kPage)[number];
}

std::byte* Segment::buffer(int number, Buffer which, std::size_t turn) const {
  CHECK(number >= 0 && number < capacity());
  CHECK_LT(turn, Slot::kTurns);
  const std::size_t index = static_cast<std::size_t>(number) * kBuffers +
                            (which == Buffer::result ? Slot::kTurns : 0) + turn;
  return static_cast<std::byte*>(memory_) + buffers_offset(capacity()) + index * kBufferBytes;
}

Mailbox& Segment::mailbox(int from, int to) const {
  CHECK(from >= 0 && from < capacity() && to >= 0 && to < capacity());
  std::byte* first = static_cast<std::byte*>(memory_) + mailboxes_offset(capacity());
  return reinterpret_cast<Mailbox*>(first)[from * capacity() + to];
}

std::byte* Segment::mail_buffer(int from, int to, std::size_t turn) const {
  CHECK(from >= 0 && from < capacity() && to >= 0 && to < capacity());
  CHECK_LT(turn, Mailbox::kTurns);
  const auto pair = static_cast<std::size_t>(from * capacity() + to);
  return static_cast<std::byte*>(memory_) + mail_offset(capacity()) +
         (pair * Mailbox::kTurns + turn) * Mailbox::kChunkBytes;
}

void Segment::abort(std::int64_t generation) const {
  auto& word = control().aborted;
  std::int64_t seen = word.load();
  while (seen < generation && !word.compare_exchange_weak(seen, generation)) {
  }
  wake_all();
}

bool Segment::aborted(std::int64_t generation) const {
  return control().aborted.load(std::memory_order_seq_cst) >= generation ||
         left_.load(std::memory_order_relaxed) >= generation;
}

void Segment::reset() const {
  for (int number = 0; number < capacity(); ++number) {
    Slot& one = slot(number);
    for (Arrival& arrival : one.arrivals) arrival.count.store(0);
    one.reduced.store(0);
    one.sleeping.store(0);
    if (one.mail.exchange(0) == 0) continue;
    for (int to = 0; to < capacity(); ++to) {
      Mailbox& box = mailbox(number, to);
      box.sent.store(0);
      box.taken.store(0);
      box.refused.store(0);
    }
  }
}

void Segment::wake_all() const {
  for (int number = 0; number < capacity(); ++number) ring_bell(slot(number));
}

void ring_bell(Slot& slot) {
  slot.bell.fetch_add(1, std::memory_order_seq_cst);
  syscall(SYS_futex, &slot.bell, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace ringmaster::collectives
