// SPDX-License-Identifier: Apache-2.0
#include "collectives/tensors/fusion.h"

#include "collectives/bytes.h"

namespace ringmaster::collectives {

namespace {

bool are_neighbours(const std::vector<Piece>& pieces) {
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    const Piece& before = pieces[i - 1];
    if (before.input + before.bytes != pieces[i].input) return false;
    if (before.output + before.bytes != pieces[i].output) return false;
  }
  return true;
}

}  // namespace

FusionMemory::~FusionMemory() {
  give_back();
}

void FusionMemory::give_back() {
  if (shared_ != nullptr) CHECK(arena_->free(shared_).ok());
  shared_ = nullptr;
  shared_bytes_ = 0;
}

std::byte* FusionMemory::room(std::size_t bytes) {
  if (bytes <= shared_bytes_) return static_cast<std::byte*>(shared_);
  if (bytes <= plain_.size()) return plain_.data();
  give_back();
  if (arena_ != nullptr) {
    if (const auto made = arena_->allocate(bytes)) {
      shared_ = *made;
      shared_bytes_ = bytes;
      return static_cast<std::byte*>(shared_);
    }
  }
  plain_.resize(bytes);
  return plain_.data();
}

Result<FusionTimes> Fusion::reduce(Communicator& engine, const std::vector<Piece>& pieces,
                                   Type type, Reduction reduction) {
  CHECK(!pieces.empty());
  std::size_t bytes = 0;
  for (const Piece& piece : pieces) bytes += piece.bytes;
  const bool in_place = are_neighbours(pieces);
  const void* input = pieces.front().input;
  void* output = pieces.front().output;
  FusionTimes times;
  times.begin = read_clock();
  if (!in_place) {
    std::byte* const fused = memory_.room(bytes);
    std::byte* to = fused;
    for (const Piece& piece : pieces) {
      copy_bytes(to, piece.input, piece.bytes);
      to += piece.bytes;
    }
    copied_ += bytes;
    times.copied = true;
    input = output = fused;
  }
  times.reduced_from = read_clock();
  const auto reduced = engine.all_reduce(input, output, bytes / size_of(type), type, reduction);
  if (!reduced) return reduced.error();
  times.reduced_to = read_clock();
  if (!in_place) {
    const std::byte* from = at(input, 0);
    for (const Piece& piece : pieces) {
      copy_bytes(piece.output, from, piece.bytes);
      from += piece.bytes;
    }
  }
  times.end = read_clock();
  return times;
}

}  // namespace ringmaster::collectives
