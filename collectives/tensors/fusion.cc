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
    if (buffer_.size() < bytes) buffer_.resize(bytes);
    std::byte* to = buffer_.data();
    for (const Piece& piece : pieces) {
      copy_bytes(to, piece.input, piece.bytes);
      to += piece.bytes;
    }
    copied_ += bytes;
    times.copied = true;
    input = output = buffer_.data();
  }
  times.reduced_from = read_clock();
  const auto reduced = engine.all_reduce(input, output, bytes / size_of(type), type, reduction);
  if (!reduced) return reduced.error();
  times.reduced_to = read_clock();
  if (!in_place) {
    const std::byte* from = buffer_.data();
    for (const Piece& piece : pieces) {
      copy_bytes(piece.output, from, piece.bytes);
      from += piece.bytes;
    }
  }
  times.end = read_clock();
  return times;
}

}  // namespace ringmaster::collectives
