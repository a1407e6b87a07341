// SPDX-License-Identifier: Apache-2.0
#include "collectives/shm/segment.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <new>

namespace ringmaster::collectives {

struct Segment::Control {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t capacity;
  alignas(64) std::atomic<std::int64_t> aborted;
};

namespace {

constexpr std::uint64_t kMagic = 0x74736d676e697200;  // "ringmst" in a dump
constexpr std::uint32_t kVersion = 3;
constexpr std::size_t kPage = 4096;
constexpr std::size_t kBuffers = 2 * Slot::kTurns;  // of one rank

std::size_t buffers_offset(int capacity) {
  const std::size_t flags = kPage + static_cast<std::size_t>(capacity) * sizeof(Slot);
  return (flags + kPage - 1) / kPage * kPage;
}

std::size_t total_bytes(int capacity) {
  return buffers_offset(capacity) +
         static_cast<std::size_t>(capacity) * kBuffers * Segment::kBufferBytes;
}

Result<void*> map(int fd, std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) {
    return errno_error(errno, fmt::format("map {} bytes of shared memory", bytes));
  }
  return memory;
}

}  // namespace

Result<Segment> Segment::create(int capacity) {
  CHECK_LT(0, capacity);
  FileDescriptor fd(memfd_create("ringmaster", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd.valid()) return errno_error(errno, "make shared memory (memfd_create)");
  const std::size_t bytes = total_bytes(capacity);
  if (ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0) {
    return errno_error(errno, fmt::format("make {} bytes of shared memory", bytes));
  }
  // The size is fixed: a rank that shrank it would end the others with SIGBUS.
  if (fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return errno_error(errno, "seal the size of shared memory");
  }
  auto memory = map(fd.get(), bytes);
  if (!memory) return memory.error();
  new (*memory) Control{kMagic, kVersion, static_cast<std::uint32_t>(capacity), 0};
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
  const auto bytes = static_cast<std::size_t>(status.st_size);
  if (bytes < kPage) return Error{Errc::corrupt, fmt::format("descriptor {}: no segment", fd)};
  FileDescriptor own(fcntl(fd, F_DUPFD_CLOEXEC, 0));
  if (!own.valid()) return errno_error(errno, "duplicate the shared memory's descriptor");
  auto memory = map(own.get(), bytes);
  if (!memory) return memory.error();
  Segment segment(std::move(own), *memory, bytes);
  const Control& control = segment.control();
  if (control.magic != kMagic || control.version != kVersion ||
      total_bytes(static_cast<int>(control.capacity)) != bytes) {
    return Error{Errc::corrupt, fmt::format("descriptor {}: no segment of this version", fd)};
  }
  return segment;
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
  return static_cast<int>(control().capacity);
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
