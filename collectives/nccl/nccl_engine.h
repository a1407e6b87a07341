// SPDX-License-Identifier: Apache-2.0
//
// Arrays of GPUs by NCCL: each operation is one of NCCL's, or a group of them where NCCL has none.
//
//   all-reduce      ncclAllReduce, the arrays of a group in one NCCL group; one by one and in
//   pieces
//                   where they travel in 16 bits (narrow_wire.h)
//   reduce-scatter  ncclReduceScatter; of uneven parts a group of ncclReduce, one a part
//   all-gather      ncclAllGather; of uneven parts a group of ncclBroadcast, one a part
//   broadcast       ncclBroadcast; in pieces where a rank keeps nothing
//   all-to-all      a group of ncclSend and ncclRecv, the own part copied
//   exchange        the same
//
// The order in which NCCL reduces is NCCL's; its average multiplies before it sums.
#pragma once

#include "collectives/nccl/narrow_wire.h"
#include "collectives/nccl/nccl_link.h"

namespace ringmaster::collectives {

class NcclEngine : public DeviceEngine {
 public:
  /// What a rank that keeps nothing of a broadcast takes at a time.
  static constexpr std::size_t kScratchBytes = 4 << 20;

  /// Meets the other ranks; `host`, an engine of the same ranks, carries NCCL's id. `wire` is null,
  /// or how float32 travels, the same on all ranks. It and `gpu` outlive the engine.
  static Result<std::unique_ptr<NcclEngine>> open(const NcclLibrary& nccl, GpuStream& gpu,
                                                  NarrowWire* wire, Communicator& host,
                                                  const Watch& watch);

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
  NcclEngine(const NcclLibrary& nccl, GpuStream& gpu, NarrowWire* wire, int size, int position)
      : link_(nccl, gpu), wire_(wire), size_(size), position_(position) {}

  /// Runs NCCL calls as one group: `calls` returns the first result that is no success.
  Result<void> run(const std::function<int()>& calls, const Watch& watch);
  int reduce_plain(const std::vector<Reduce>& group);
  Result<void> reduce_narrow(const Reduce& one, const Watch& watch);
  int send_and_receive(const std::vector<Transfer>& sends, const std::vector<Transfer>& receives);
  Result<void> broadcast_pieces(void* data, std::size_t count, Type type, int root,
                                const Watch& watch);

  NcclLink link_;
  NarrowWire* wire_;
  int size_;
  int position_;
  std::optional<CudaMemory> scratch_;
};

}  // namespace ringmaster::collectives
