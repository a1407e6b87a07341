// SPDX-License-Identifier: Apache-2.0
//
// A rank's GPU: the stream on which its collectives run, and memory on it.
//
// The stream is our own, so that waiting for a collective does not wait for the program's other
// work. Each operation first makes it wait for what the program has put on its own stream: what it
// is about to reduce may still be computed there.
//
// Thread rules: one thread at a time; begin() first, since the current device is the thread's.
#pragma once

#include <memory>
#include <string>

#include "collectives/agreement.h"
#include "collectives/nccl/cuda_runtime.h"
#include "collectives/nccl/patience.h"

namespace ringmaster::collectives {

class GpuStream {
 public:
  /// `device`: its number in this process. `program_stream`: where the program's kernels run; null
  /// is CUDA's default stream.
  static Result<std::unique_ptr<GpuStream>> open(const CudaRuntime& cuda, int device,
                                                 CudaStream program_stream);
  GpuStream(const GpuStream&) = delete;
  GpuStream& operator=(const GpuStream&) = delete;
  ~GpuStream();

  /// Makes the device the thread's, and what follows on the stream wait for the program's work.
  Result<void> begin();
  /// Puts a copy between host and device, either way, on the stream.
  Result<void> copy(void* to, const void* from, std::size_t bytes);
  /// Whether all that is on the stream is done.
  Result<bool> finished();
  /// Waits for that. A wait that timed out or was aborted leaves it running.
  Result<void> wait(const std::function<bool()>& aborted, Duration timeout);

  /// Where an array lies. Managed memory counts as the device's.
  Memory memory_of(const void* data) const;

  CudaStream raw() const { return stream_; }
  const CudaRuntime& cuda() const { return cuda_; }
  /// What tells it from the GPUs of all hosts: two processes may number it differently.
  Result<std::string> identity() const;

 private:
  GpuStream(const CudaRuntime& cuda, int device, CudaStream program_stream)
      : cuda_(cuda), device_(device), program_stream_(program_stream) {}

  CudaRuntime cuda_;
  int device_;
  CudaStream program_stream_;
  CudaStream stream_ = nullptr;
  CudaEvent event_ = nullptr;
};

/// Memory that CUDA allocated; released by its destructor.
class CudaMemory {
 public:
  enum class Kind { device, pinned };
  /// On the thread's current device, or pinned for it.
  static Result<CudaMemory> allocate(const CudaRuntime& cuda, Kind kind, std::size_t bytes);

  std::byte* data() const { return static_cast<std::byte*>(memory_.get()); }
  std::size_t bytes() const { return bytes_; }

 private:
  struct Release {
    int (*function)(void*);
    void operator()(void* memory) const { static_cast<void>(function(memory)); }
  };
  CudaMemory(void* memory, Release release, std::size_t bytes)
      : memory_(memory, release), bytes_(bytes) {}

  std::unique_ptr<void, Release> memory_;
  std::size_t bytes_;
};

}  // namespace ringmaster::collectives
