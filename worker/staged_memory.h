// SPDX-License-Identifier: Apache-2.0
//
// Memory that a rank and its agent hand to each other: a share of the state on its way to the
// store, or a whole state on its way back.
//
// A memfd without a name: a page for a mark, then the data. It lives as long as one of the two
// holds it, so a save survives the rank that made it. Its size is sealed: neither can pull it away
// below the other. The mark tells the rank that the agent is done with it, without a message.
//
// Thread rules: none of its own; one thread at a time, the mark excepted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/file_descriptor.h"
#include "base/result.h"
#include "storage/layout/divide.h"

namespace ringmaster::worker {

class StagedMemory {
 public:
  static Result<StagedMemory> create(std::uint64_t bytes);
  /// Errc::corrupt for a descriptor that is no such memory of this size.
  static Result<StagedMemory> adopt(FileDescriptor fd, std::uint64_t bytes);
  StagedMemory(StagedMemory&& other) noexcept;
  StagedMemory& operator=(StagedMemory&& other) noexcept;
  ~StagedMemory();

  int fd() const { return fd_.get(); }
  std::byte* data() const { return data_; }
  std::uint64_t bytes() const { return bytes_; }

  void mark_done();
  bool is_done() const;
  /// To be used again.
  void clear_mark();

 private:
  StagedMemory(FileDescriptor fd, std::uint64_t bytes) : fd_(std::move(fd)), bytes_(bytes) {}
  Result<void> map();

  FileDescriptor fd_;
  std::uint64_t bytes_;
  std::uint32_t* mark_ = nullptr;
  std::byte* data_ = nullptr;
};

/// The blocks of a state as tensors, and what of them each position saves: the same on the rank's
/// and the agent's side.
std::vector<storage::Tensor> tensors_of(const std::vector<std::uint64_t>& blocks);
std::vector<storage::Part> share_of(const std::vector<std::uint64_t>& blocks,
                                    std::uint32_t position, std::uint32_t members);
std::uint64_t bytes_of(const std::vector<storage::Part>& share);

}  // namespace ringmaster::worker
