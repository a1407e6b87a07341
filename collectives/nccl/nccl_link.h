// SPDX-License-Identifier: Apache-2.0
//
// The life of one NCCL communicator: made, asked how its work goes, ended.
//
// It is non-blocking: NCCL's calls return at once and ncclCommGetAsyncError tells how they went. A
// blocking one would hold the rank inside NCCL when a peer has died, where neither an abort nor a
// deadline is seen.
//
// Whatever goes wrong ends in ncclCommAbort, which stops the kernels that wait for peers; NCCL
// wants it called on every rank, and every rank sees the same abort of its generation. After it
// the communicator is gone, and the next generation makes a new one.
//
// Thread rules: one thread at a time.
#pragma once

#include <optional>
#include <string>

#include "collectives/nccl/device_engine.h"
#include "collectives/nccl/gpu_stream.h"
#include "collectives/nccl/nccl_library.h"

namespace ringmaster::collectives {

class NcclLink {
 public:
  /// How long an error that a dead peer may have caused waits for the end of the generation, which
  /// explains it: the agent of a rank that died says so within milliseconds, a silent host is given
  /// up after some 20 s.
  static constexpr Duration kGrace = std::chrono::seconds(30);
  /// How long an orderly end waits for the other ranks, which may still read from this one. The end
  /// of the generation ends it.
  static constexpr Duration kFarewell = std::chrono::seconds(2);

  /// `gpu` outlives the link.
  NcclLink(const NcclLibrary& nccl, GpuStream& gpu) : nccl_(nccl), gpu_(gpu) {}
  NcclLink(const NcclLink&) = delete;
  NcclLink& operator=(const NcclLink&) = delete;
  ~NcclLink();

  /// Meets the other ranks. All call it with the id that one of them made.
  Result<void> connect(const NcclUniqueId& id, int ranks, int position, const Watch& watch);
  /// Waits until NCCL has started what it was told, and the stream has done it. `started` is what
  /// the last call of NCCL returned.
  Result<void> finish(int started, const Watch& watch);
  void set_grace(Duration grace) { grace_ = grace; }

  const NcclLibrary& library() const { return nccl_; }
  GpuStream& gpu() const { return gpu_; }
  NcclHandle raw() const { return communicator_; }
  bool alive() const { return communicator_ != nullptr; }

 private:
  /// Whether NCCL is through with its part; an error is NCCL's.
  Result<bool> settled(int started, const Watch& watch);
  Result<void> wait(int started, const Watch& watch, bool with_stream);
  Error failure(int code, const Watch& watch);
  Error give_up(Error error);
  void say_farewell();

  NcclLibrary nccl_;
  GpuStream& gpu_;
  NcclHandle communicator_ = nullptr;
  std::function<bool()> aborted_;  // of the watch that it was made under
  Duration grace_ = kGrace;
};

}  // namespace ringmaster::collectives
