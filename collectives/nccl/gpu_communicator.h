// SPDX-License-Identifier: Apache-2.0
//
// The communicator of ranks that have a GPU each. Calls with arrays in host memory go to the
// engine of the host (shared memory, TCP), calls with arrays in device memory to NCCL; where NCCL
// is not there, or two ranks share a GPU, they are staged through host memory.
//
// Each call is agreed on over the host's engine first (agreement.h): NCCL would hang when ranks
// call different things. A call so costs a small all-gather between hosts or within one more
// than NCCL alone.
//
// A loss aborts NCCL's communicator on every survivor, and the next generation opens a new
// GpuCommunicator, with a new one of NCCL's. How fast that is, is NCCL's matter: making a
// communicator takes from tenths of a second to seconds.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "collectives/nccl/device_engine.h"
#include "collectives/nccl/gpu_stream.h"
#include "collectives/nccl/narrow_wire.h"
#include "collectives/nccl/nccl_library.h"

namespace ringmaster::collectives {

/// The GPU that a rank uses.
struct GpuChoice {
  int device = 0;                       // its number in this process
  CudaStream program_stream = nullptr;  // where the program's kernels run; null: CUDA's default
  GpuWire wire = GpuWire::float32;      // as what all-reduces of float32 travel
};

/// What a rank needs to use it; made once for all generations.
class Gpu {
 public:
  /// Which libraries are tried.
  struct Files {
    std::vector<std::string> cuda, nccl, kernels;
  };
  /// The files and the wire that the environment asks for.
  static Result<Gpu> open(int device, CudaStream program_stream);
  /// Loads the libraries and looks for the device. Errors say what is missing and what to do;
  /// NCCL's absence is none, it is remembered.
  static Result<Gpu> open(const GpuChoice& choice, const Files& files);

  GpuStream& stream() { return *stream_; }
  const std::optional<NcclLibrary>& nccl() const { return nccl_; }
  const std::string& why_no_nccl() const { return why_no_nccl_; }
  GpuWire wire() const { return choice_.wire; }
  /// The casts for it; null for float32.
  NarrowWire* narrow_wire() { return narrow_wire_ ? &*narrow_wire_ : nullptr; }

 private:
  explicit Gpu(const GpuChoice& choice) : choice_(choice) {}
  GpuChoice choice_;
  std::unique_ptr<GpuStream> stream_;
  std::optional<NcclLibrary> nccl_;
  std::string why_no_nccl_;
  std::optional<NarrowWire> narrow_wire_;
};

class GpuCommunicator : public Communicator {
 public:
  /// All ranks of `host` call it, and agree on NCCL or staging. `gpu` outlives the communicator;
  /// `numbers` are the ranks' by position, for messages.
  static Result<std::unique_ptr<GpuCommunicator>> open(std::unique_ptr<Communicator> host, Gpu& gpu,
                                                       std::vector<int> numbers,
                                                       std::function<bool()> aborted,
                                                       Duration timeout);

  /// "NCCL 2.28.9", or "staged through host memory: ranks 0 and 1 share a GPU".
  const std::string& path() const { return path_; }

  using Communicator::all_gather;
  int size() const override { return host_->size(); }
  int position() const override { return host_->position(); }
  Result<void> all_reduce(const void* input, void* output, std::size_t count, Type type,
                          Reduction reduction) override;
  Result<void> all_reduce_group(const std::vector<Reduce>& group) override;
  Result<void> reduce_scatter(const void* input, void* output, const Counts& counts, Type type,
                              Reduction reduction) override;
  Result<void> all_gather(const void* input, void* output, const Counts& counts,
                          Type type) override;
  Result<void> all_to_all(const void* input, const Counts& give, void* output, const Counts& take,
                          Type type) override;
  Result<void> broadcast(void* data, std::size_t count, Type type, int root) override;
  Result<void> barrier() override;
  Result<void> exchange(const std::vector<Transfer>& sends,
                        const std::vector<Transfer>& receives) override;

 private:
  GpuCommunicator(std::unique_ptr<Communicator> host, Gpu& gpu, std::vector<int> numbers,
                  std::function<bool()> aborted);
  Result<void> choose_engine(const std::vector<int>& numbers);
  Result<void> use_nccl();

  /// An array of a call, which is none when it has no elements.
  struct Array {
    const void* data;
    std::size_t count;
  };
  Memory memory_of(std::initializer_list<Array> arrays) const;
  /// Agrees on the call, then runs it here or there.
  Result<void> run(const Call& call, Memory memory, const std::function<Result<void>()>& on_host,
                   const std::function<Result<void>(const Agreed&)>& on_device);
  Result<void> dispatch(const std::string& what, const Result<Agreed>& agreed,
                        const std::function<Result<void>()>& on_host,
                        const std::function<Result<void>(const Agreed&)>& on_device);

  std::unique_ptr<Communicator> host_;
  Gpu& gpu_;
  std::vector<int> numbers_;
  Watch watch_;
  Agreement agreement_;
  std::unique_ptr<DeviceEngine> device_;
  std::string path_;
  std::optional<Error> failed_;
};

}  // namespace ringmaster::collectives
