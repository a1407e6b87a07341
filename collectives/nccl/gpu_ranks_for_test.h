// SPDX-License-Identifier: Apache-2.0
//
// Ranks with GPUs for the tests: threads that stand for their processes, with the stand-ins for
// CUDA and NCCL, or with the real ones where RINGMASTER_GPU_CHECK is set (scripts/gpu-check). Only
// tests include it.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <functional>
#include <thread>

#include "collectives/nccl/gpu_communicator.h"
#include "collectives/nccl/gpu_settings.h"
#include "collectives/nccl/settings_for_test.h"
#include "collectives/nccl/stand_in_for_test.h"
#include "collectives/shm/ranks_for_test.h"

namespace ringmaster::collectives {

inline std::vector<std::string> cuda_names_for_test() {
  return on_real_gpus() ? read_cuda_runtime_names() : std::vector{cuda_stand_in_file()};
}
inline std::vector<std::string> nccl_names_for_test() {
  return on_real_gpus() ? read_nccl_names() : std::vector{nccl_stand_in_file()};
}

inline Gpu::Files files_for_test() {
  const std::string kernels =
      on_real_gpus() ? kernel_file_for_test() : cuda_kernels_stand_in_file();
  return {cuda_names_for_test(), nccl_names_for_test(), {kernels}};
}

/// How many GPUs there are to test with.
inline int gpus_for_test() {
  auto cuda = CudaRuntime::load(cuda_names_for_test());
  auto count = cuda ? cuda->count_devices() : Result<int>(cuda.error());
  return count ? *count : 0;
}

class GpuRanks {
 public:
  /// Each rank has a GPU of its own, or all use one.
  enum class Gpus { own, shared };

  explicit GpuRanks(int ranks, Gpus gpus = Gpus::own) : ranks_(ranks), gpus_(gpus) {
    auto made = Segment::create(ranks);
    CHECK(made.ok());
    segment_.emplace(std::move(*made));
    segment_->reset();
    for (int rank = 0; rank < ranks; ++rank) numbers_.push_back(rank);
    if (on_real_gpus()) return;
    cuda_stand_in().reset();
    nccl_stand_in().reset();
  }

  int size() const { return ranks_; }
  void abort(std::int64_t generation) const { segment_->abort(generation); }
  void set_timeout(Duration timeout) { timeout_ = timeout; }
  void set_wire(GpuWire wire) { wire_ = wire; }
  /// Which engine the ranks have below their GPUs'.
  std::function<std::unique_ptr<Communicator>(int position, std::int64_t generation)> host =
      [this](int position, std::int64_t generation) {
        return std::make_unique<ShmCommunicator>(*segment_,
                                                 ShmMembership{generation, numbers_, position, 2});
      };

  Result<Gpu> open_gpu(int position) const {
    const GpuChoice choice{.device = gpus_ == Gpus::own ? position : 0, .wire = wire_};
    return Gpu::open(choice, files_for_test());
  }
  Result<std::unique_ptr<GpuCommunicator>> make(Gpu& gpu, int position,
                                                std::int64_t generation) const {
    return GpuCommunicator::open(
        host(position, generation), gpu, numbers_,
        [this, generation] { return segment_->aborted(generation); }, timeout_);
  }

  /// Runs `body(gpu, position)` on a thread for each rank.
  void run_each(const std::function<void(Gpu&, int)>& body) const {
    std::vector<std::thread> threads;
    for (int position = 0; position < ranks_; ++position) {
      threads.emplace_back([&, position] {
        auto gpu = open_gpu(position);
        ASSERT_TRUE(gpu.ok()) << gpu.error().message;
        body(*gpu, position);
      });
    }
    for (auto& thread : threads) thread.join();
  }
  /// Runs `body(communicator, gpu)` likewise.
  void run(const std::function<void(GpuCommunicator&, Gpu&)>& body,
           std::int64_t generation = 1) const {
    run_each([&](Gpu& gpu, int position) {
      auto made = make(gpu, position, generation);
      ASSERT_TRUE(made.ok()) << made.error().message;
      body(**made, gpu);
    });
  }

  /// Between two generations, as the agent does.
  void reset() const { segment_->reset(); }

 private:
  int ranks_;
  Gpus gpus_;
  GpuWire wire_ = GpuWire::float32;
  Duration timeout_ = std::chrono::seconds(60);
  std::optional<Segment> segment_;
  std::vector<int> numbers_;
};

/// An array on a GPU that begins with what the host has, and is read back.
class DeviceArray {
 public:
  DeviceArray(Gpu& gpu, const void* data, std::size_t bytes)
      : gpu_(gpu), memory_(allocate(gpu, bytes)) {
    copy(memory_.data(), data, bytes);
  }
  std::byte* data() const { return memory_.data(); }
  void read(void* to, std::size_t bytes) const { copy(to, memory_.data(), bytes); }

 private:
  static CudaMemory allocate(Gpu& gpu, std::size_t bytes) {
    CHECK(gpu.stream().begin().ok());
    auto memory = CudaMemory::allocate(gpu.stream().cuda(), CudaMemory::Kind::device,
                                       std::max<std::size_t>(bytes, 1));
    CHECK(memory.ok());
    return std::move(*memory);
  }
  void copy(void* to, const void* from, std::size_t bytes) const {
    const std::function<bool()> never = [] { return false; };
    CHECK(gpu_.stream().copy(to, from, bytes).ok());
    CHECK(gpu_.stream().wait(never, std::chrono::seconds(60)).ok());
  }

  Gpu& gpu_;
  CudaMemory memory_;
};

}  // namespace ringmaster::collectives
