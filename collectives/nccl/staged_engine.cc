// SPDX-License-Identifier: Apache-2.0
#include "collectives/nccl/staged_engine.h"

#include <algorithm>

#include "collectives/bytes.h"

namespace ringmaster::collectives {

namespace {

/// The n-th piece of a part: its elements.
std::size_t staged_piece(std::size_t count, std::size_t most, std::size_t n) {
  return std::min(most, count - std::min(count, n * most));
}

Counts staged_pieces(const Counts& counts, std::size_t most, std::size_t n) {
  Counts pieces;
  for (const std::size_t count : counts) pieces.push_back(staged_piece(count, most, n));
  return pieces;
}

std::size_t rounds(std::size_t count, std::size_t most) {
  return (count + most - 1) / most;
}

std::size_t largest_part(const Counts& counts) {
  return *std::max_element(counts.begin(), counts.end());
}

}  // namespace

/// An array on the GPU that has a part for each position, and where its pieces are staged.
struct StagedEngine::Blocks {
  std::byte* data;
  const Counts& counts;
  std::size_t width;
  std::size_t most;  // elements of a piece
  std::byte* staged;
};

Result<void> StagedEngine::reserve(std::size_t bytes) {
  if (buffers_.size() == 2 && buffers_[0].bytes() >= bytes) return {};
  buffers_.clear();
  for (int i = 0; i < 2; ++i) {
    auto memory = CudaMemory::allocate(gpu_.cuda(), CudaMemory::Kind::pinned, bytes);
    if (!memory) return memory.error();
    buffers_.push_back(std::move(*memory));
  }
  return {};
}

Result<void> StagedEngine::copy_blocks(const Blocks& blocks, std::size_t n, bool to_device,
                                       const Watch& watch) {
  std::size_t begin = 0, staged = 0;
  for (const std::size_t count : blocks.counts) {
    const std::size_t bytes = staged_piece(count, blocks.most, n) * blocks.width;
    std::byte* on_device = blocks.data + (begin + n * blocks.most) * blocks.width;
    std::byte* on_host = blocks.staged + staged;
    Result<void> copied;
    if (bytes > 0) {
      copied =
          to_device ? gpu_.copy(on_device, on_host, bytes) : gpu_.copy(on_host, on_device, bytes);
    }
    if (!copied) return copied;
    begin += count;
    staged += bytes;
  }
  return gpu_.wait(watch.aborted, watch.timeout);
}

Result<void> StagedEngine::all_reduce(const std::vector<Reduce>& group, const Watch& watch) {
  for (const Reduce& one : group) {
    auto reduced = reduce_one(one, watch);
    if (!reduced) return reduced;
  }
  return {};
}

Result<void> StagedEngine::reduce_one(const Reduce& one, const Watch& watch) {
  auto step = reserve(kBufferBytes);
  const std::size_t width = size_of(one.type), most = kBufferBytes / width;
  std::byte* staged = step ? buffers_[0].data() : nullptr;
  for (std::size_t n = 0; step && n < rounds(one.count, most); ++n) {
    const std::size_t count = staged_piece(one.count, most, n), at_byte = n * most * width;
    step = gpu_.copy(staged, at(one.input, at_byte), count * width);
    if (step) step = gpu_.wait(watch.aborted, watch.timeout);
    if (step) step = host_.all_reduce(staged, staged, count, one.type, one.reduction);
    if (step) step = gpu_.copy(at(one.output, at_byte), staged, count * width);
    if (step) step = gpu_.wait(watch.aborted, watch.timeout);
  }
  return step;
}

Result<void> StagedEngine::reduce_scatter(const void* input, void* output, const Counts& counts,
                                          Type type, Reduction reduction, const Watch& watch) {
  auto step = reserve(kBufferBytes);
  if (!step) return step;
  const std::size_t width = size_of(type), most = kBufferBytes / counts.size() / width;
  const Blocks from{at(const_cast<void*>(input), 0), counts, width, most, buffers_[0].data()};
  std::byte* result = buffers_[1].data();
  for (std::size_t n = 0; step && n < rounds(largest_part(counts), most); ++n) {
    const Counts pieces = staged_pieces(counts, most, n);
    step = copy_blocks(from, n, false, watch);
    if (step) step = host_.reduce_scatter(from.staged, result, pieces, type, reduction);
    if (step) step = gpu_.copy(at(output, n * most * width), result, pieces[index()] * width);
    if (step) step = gpu_.wait(watch.aborted, watch.timeout);
  }
  return step;
}

Result<void> StagedEngine::all_gather(const void* input, void* output, const Counts& counts,
                                      Type type, const Watch& watch) {
  auto step = reserve(kBufferBytes);
  if (!step) return step;
  const std::size_t width = size_of(type), most = kBufferBytes / counts.size() / width;
  const Blocks to{at(output, 0), counts, width, most, buffers_[1].data()};
  std::byte* own = buffers_[0].data();
  for (std::size_t n = 0; step && n < rounds(largest_part(counts), most); ++n) {
    const Counts pieces = staged_pieces(counts, most, n);
    step = gpu_.copy(own, at(input, n * most * width), pieces[index()] * width);
    if (step) step = gpu_.wait(watch.aborted, watch.timeout);
    if (step) step = host_.all_gather(own, to.staged, pieces, type);
    if (step) step = copy_blocks(to, n, true, watch);
  }
  return step;
}

Result<void> StagedEngine::all_to_all(const void* input, const Counts& give, void* output,
                                      const Counts& take, std::size_t largest, Type type,
                                      const Watch& watch) {
  auto step = reserve(kBufferBytes);
  if (!step) return step;
  const std::size_t width = size_of(type), most = kBufferBytes / give.size() / width;
  const Blocks from{at(const_cast<void*>(input), 0), give, width, most, buffers_[0].data()};
  const Blocks to{at(output, 0), take, width, most, buffers_[1].data()};
  for (std::size_t n = 0; step && n < rounds(largest, most); ++n) {
    step = copy_blocks(from, n, false, watch);
    if (step) {
      step = host_.all_to_all(from.staged, staged_pieces(give, most, n), to.staged,
                              staged_pieces(take, most, n), type);
    }
    if (step) step = copy_blocks(to, n, true, watch);
  }
  return step;
}

Result<void> StagedEngine::broadcast(void* data, std::size_t count, Type type, int root, bool,
                                     const Watch& watch) {
  auto step = reserve(kBufferBytes);
  const std::size_t width = size_of(type), most = kBufferBytes / width;
  const bool gives = host_.position() == root, takes = !gives && data != nullptr;
  std::byte* staged = step ? buffers_[0].data() : nullptr;
  for (std::size_t n = 0; step && n < rounds(count, most); ++n) {
    const std::size_t piece = staged_piece(count, most, n), at_byte = n * most * width;
    if (gives) step = gpu_.copy(staged, at(data, at_byte), piece * width);
    if (step) step = gpu_.wait(watch.aborted, watch.timeout);
    if (step) step = host_.broadcast(gives || takes ? staged : nullptr, piece, type, root);
    if (step && takes) step = gpu_.copy(at(data, at_byte), staged, piece * width);
    if (step) step = gpu_.wait(watch.aborted, watch.timeout);
  }
  return step;
}

Result<void> StagedEngine::exchange(const std::vector<Transfer>& sends,
                                    const std::vector<Transfer>& receives, const Watch& watch) {
  auto step =
      reserve(std::max(kBufferBytes, kTransferBytes * std::max(sends.size(), receives.size())));
  std::size_t longest = 0;
  for (const auto* transfers : {&sends, &receives}) {
    for (const Transfer& one : *transfers) {
      longest = std::max(longest, rounds(one.count * size_of(one.type), kTransferBytes));
    }
  }
  for (std::size_t n = 0; step && n < longest; ++n)
    step = exchange_piece(sends, receives, n, watch);
  return step;
}

/// Both ends of a transfer cut it alike, so what is left of it in a round is so on both.
Result<void> StagedEngine::exchange_piece(const std::vector<Transfer>& sends,
                                          const std::vector<Transfer>& receives, std::size_t n,
                                          const Watch& watch) {
  const auto staged = [&](const std::vector<Transfer>& transfers, const CudaMemory& buffer) {
    std::vector<Transfer> pieces;
    for (std::size_t i = 0; i < transfers.size(); ++i) {
      const Transfer& one = transfers[i];
      const std::size_t count = staged_piece(one.count, kTransferBytes / size_of(one.type), n);
      pieces.push_back({buffer.data() + i * kTransferBytes, count, one.type, one.peer});
    }
    return pieces;
  };
  std::vector<Transfer> out = staged(sends, buffers_[0]), in = staged(receives, buffers_[1]);
  Result<void> step;
  for (std::size_t i = 0; step && i < sends.size(); ++i) {
    step = gpu_.copy(out[i].data, at(sends[i].data, n * kTransferBytes),
                     out[i].count * size_of(out[i].type));
  }
  if (step) step = gpu_.wait(watch.aborted, watch.timeout);
  const auto to_copy = in;
  const auto is_empty = [](const Transfer& one) { return one.count == 0; };
  std::erase_if(out, is_empty);
  std::erase_if(in, is_empty);
  if (step && !(out.empty() && in.empty())) step = host_.exchange(out, in);
  for (std::size_t i = 0; step && i < receives.size(); ++i) {
    step = gpu_.copy(at(receives[i].data, n * kTransferBytes), to_copy[i].data,
                     to_copy[i].count * size_of(to_copy[i].type));
  }
  return step ? gpu_.wait(watch.aborted, watch.timeout) : step;
}

}  // namespace ringmaster::collectives
