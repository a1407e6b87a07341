// SPDX-License-Identifier: Apache-2.0
#include "worker/staged_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

namespace ringmaster::worker {

namespace {

constexpr std::uint64_t kMarkBytes = 4096;  // a page: the data is mapped on its own
constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

void* map_shared(int fd, std::uint64_t offset, std::uint64_t bytes) {
  void* at =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, static_cast<off_t>(offset));
  return at == MAP_FAILED ? nullptr : at;
}

}  // namespace

Result<StagedMemory> StagedMemory::create(std::uint64_t bytes) {
  FileDescriptor fd(::memfd_create("ringmaster-save", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd.valid()) return errno_error(errno, "make memory for a save");
  // Reserved now: a full memory is an error here, and no SIGBUS in the middle of a copy.
  const int code = ::posix_fallocate(fd.get(), 0, static_cast<off_t>(kMarkBytes + bytes));
  if (code != 0) return errno_error(code, fmt::format("make {} bytes of memory for a save", bytes));
  if (::fcntl(fd.get(), F_ADD_SEALS, kSeals) != 0) return errno_error(errno, "seal memory");
  StagedMemory memory(std::move(fd), bytes);
  if (auto mapped = memory.map(); !mapped) return mapped.error();
  return memory;
}

Result<StagedMemory> StagedMemory::adopt(FileDescriptor fd, std::uint64_t bytes) {
  struct stat facts = {};
  const bool right = fd.valid() && ::fstat(fd.get(), &facts) == 0 &&
                     facts.st_size == static_cast<off_t>(kMarkBytes + bytes) &&
                     (::fcntl(fd.get(), F_GET_SEALS) & kSeals) == kSeals;
  if (!right) return Error{Errc::corrupt, fmt::format("a save without its {} bytes", bytes)};
  StagedMemory memory(std::move(fd), bytes);
  if (auto mapped = memory.map(); !mapped) return mapped.error();
  return memory;
}

Result<void> StagedMemory::map() {
  mark_ = static_cast<std::uint32_t*>(map_shared(fd_.get(), 0, kMarkBytes));
  if (mark_ != nullptr && bytes_ > 0) {
    data_ = static_cast<std::byte*>(map_shared(fd_.get(), kMarkBytes, bytes_));
  }
  if (mark_ == nullptr || (bytes_ > 0 && data_ == nullptr)) return errno_error(errno, "map a save");
  return {};
}

StagedMemory::StagedMemory(StagedMemory&& other) noexcept
    : fd_(std::move(other.fd_)),
      bytes_(other.bytes_),
      mark_(std::exchange(other.mark_, nullptr)),
      data_(std::exchange(other.data_, nullptr)) {}

StagedMemory& StagedMemory::operator=(StagedMemory&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(bytes_, other.bytes_);
  std::swap(mark_, other.mark_);
  std::swap(data_, other.data_);
  return *this;
}

StagedMemory::~StagedMemory() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
  if (mark_ != nullptr) ::munmap(mark_, kMarkBytes);
}

void StagedMemory::mark_done() {
  std::atomic_ref<std::uint32_t>(*mark_).store(1);
}

bool StagedMemory::is_done() const {
  return std::atomic_ref<std::uint32_t>(*mark_).load() != 0;
}

void StagedMemory::clear_mark() {
  std::atomic_ref<std::uint32_t>(*mark_).store(0);
}

std::vector<storage::Tensor> tensors_of(const std::vector<std::uint64_t>& blocks) {
  std::vector<storage::Tensor> tensors;
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    tensors.push_back({fmt::format("block-{}", block), storage::Dtype::u8, {blocks[block]}});
  }
  return tensors;
}

std::vector<storage::Part> share_of(const std::vector<std::uint64_t>& blocks,
                                    std::uint32_t position, std::uint32_t members) {
  CHECK_LT(position, members);
  return std::move(storage::divide(tensors_of(blocks), members)[position]);
}

std::uint64_t bytes_of(const std::vector<storage::Part>& share) {
  std::uint64_t bytes = 0;
  for (const storage::Part& part : share) bytes += storage::elements_of(part.box.shape);
  return bytes;
}

}  // namespace ringmaster::worker
