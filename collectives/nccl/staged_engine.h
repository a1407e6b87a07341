// SPDX-License-Identifier: Apache-2.0
//
// Arrays of GPUs by way of the host: a piece is copied into pinned memory, exchanged by the engine
// of the host, and its result copied back. For GPUs without NCCL, and for ranks that share one GPU,
// which NCCL refuses.
//
// It uses 4 MiB of pinned memory each way, whatever the arrays' sizes, but for exchange(): 256 KiB
// for each of its transfers. All ranks cut the same pieces. A piece is copied, exchanged and copied
// back before the next one begins.
#pragma once

#include "collectives/nccl/device_engine.h"
#include "collectives/nccl/gpu_stream.h"

namespace ringmaster::collectives {

class StagedEngine : public DeviceEngine {
 public:
  /// Pinned memory for what goes out, and as much for what comes in.
  static constexpr std::size_t kBufferBytes = 4 << 20;
  /// Of one transfer of exchange(), at a time.
  static constexpr std::size_t kTransferBytes = 256 << 10;

  /// Both outlive the engine.
  StagedEngine(GpuStream& gpu, Communicator& host) : gpu_(gpu), host_(host) {}

  Result<void> all_reduce(const std::vector<Reduce>& group, const Watch& watch) override;
  Result<void> reduce_scatter(const void* input, void* output, const Counts& counts, Type type,
                              Reduction reduction, const Watch& watch) override;
  Result<void> all_gather(const void* input, void* output, const Counts& counts, Type type,
                          const Watch& watch) override;
  Result<void> all_to_all(const void* input, const Counts& give, void* output, const Counts& take,
                          std::size_t largest, Type type, const Watch& watch) override;
  Result<void> broadcast(void* data, std::size_t count, Type type, int root, bool null_somewhere,
                         const Watch& watch) override;
  Result<void> exchange(const std::vector<Transfer>& sends, const std::vector<Transfer>& receives,
                        const Watch& watch) override;

 private:
  struct Blocks;
  /// Copies the n-th piece of each position's part to a pinned buffer, or back from there.
  Result<void> copy_blocks(const Blocks& blocks, std::size_t n, bool to_device, const Watch& watch);
  Result<void> reserve(std::size_t bytes);
  Result<void> reduce_one(const Reduce& one, const Watch& watch);
  Result<void> exchange_piece(const std::vector<Transfer>& sends,
                              const std::vector<Transfer>& receives, std::size_t n,
                              const Watch& watch);
  std::size_t index() const { return static_cast<std::size_t>(host_.position()); }

  GpuStream& gpu_;
  Communicator& host_;
  std::vector<CudaMemory> buffers_;  // out, in
};

}  // namespace ringmaster::collectives
