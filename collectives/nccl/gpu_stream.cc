// SPDX-License-Identifier: Apache-2.0
#include "collectives/nccl/gpu_stream.h"

#include <fmt/format.h>

#include <array>
#include <fstream>

namespace ringmaster::collectives {

namespace {

// CUDA's numbers.
constexpr unsigned kNonBlockingStream = 1;
constexpr unsigned kEventWithoutTiming = 2;
constexpr int kCopyEitherWay = 4;
constexpr int kDevicePointer = 2;
constexpr int kManagedPointer = 3;

}  // namespace

Result<std::unique_ptr<GpuStream>> GpuStream::open(const CudaRuntime& cuda, int device,
                                                   CudaStream program_stream) {
  auto count = cuda.count_devices();
  if (!count) return count.error();
  if (device < 0 || device >= *count) {
    return Error{Errc::invalid,
                 fmt::format("there is no GPU {}: this process has {}, numbered from 0 "
                             "(CUDA_VISIBLE_DEVICES chooses)",
                             device, *count)};
  }
  std::unique_ptr<GpuStream> gpu(new GpuStream(cuda, device, program_stream));
  auto done = cuda.check(cuda.set_device(device), "cudaSetDevice");
  if (done) {
    done = cuda.check(cuda.stream_create(&gpu->stream_, kNonBlockingStream), "cudaStreamCreate");
  }
  if (done) {
    done = cuda.check(cuda.event_create(&gpu->event_, kEventWithoutTiming), "cudaEventCreate");
  }
  if (!done) return done.error();
  return gpu;
}

GpuStream::~GpuStream() {
  static_cast<void>(cuda_.set_device(device_));
  if (event_ != nullptr) static_cast<void>(cuda_.event_destroy(event_));
  if (stream_ != nullptr) static_cast<void>(cuda_.stream_destroy(stream_));
}

Result<void> GpuStream::begin() {
  auto done = cuda_.check(cuda_.set_device(device_), "cudaSetDevice");
  if (done) done = cuda_.check(cuda_.event_record(event_, program_stream_), "cudaEventRecord");
  if (done) done = cuda_.check(cuda_.stream_wait_event(stream_, event_, 0), "cudaStreamWaitEvent");
  return done;
}

Result<void> GpuStream::copy(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0 || to == from) return {};
  return cuda_.check(cuda_.memcpy_async(to, from, bytes, kCopyEitherWay, stream_),
                     "cudaMemcpyAsync");
}

Result<bool> GpuStream::finished() {
  const int code = cuda_.stream_query(stream_);
  if (code == kCudaNotReady) return false;
  auto done = cuda_.check(code, "the GPU's stream");
  if (!done) return done.error();
  return true;
}

Result<void> GpuStream::wait(const std::function<bool()>& aborted, Duration timeout) {
  Patience patience(aborted, timeout);
  for (;;) {
    auto done = finished();
    if (!done) return done.error();
    if (*done) return {};
    switch (patience.pause()) {
      case Patience::End::look_again:
        break;
      case Patience::End::aborted:
        return Error{Errc::generation_changed, "the generation has changed"};
      case Patience::End::timed_out:
        return Error{Errc::timed_out,
                     fmt::format("the GPU has not finished for {:.0f} s", to_seconds(timeout))};
    }
  }
}

Memory GpuStream::memory_of(const void* data) const {
  if (data == nullptr) return Memory::none;
  CudaPointer pointer;
  const int code = cuda_.pointer_get_attributes(&pointer, data);
  if (code != kCudaSuccess) {
    static_cast<void>(cuda_.get_last_error());
    return Memory::host;  // what CUDA has never heard of
  }
  if (pointer.type == kManagedPointer) return Memory::device;
  if (pointer.type == kDevicePointer) {
    return pointer.device == device_ ? Memory::device : Memory::other_device;
  }
  return Memory::host;  // ordinary or pinned
}

Result<std::string> GpuStream::identity() const {
  std::array<char, 32> bus = {};
  auto done = cuda_.check(
      cuda_.get_device_bus_id(bus.data(), static_cast<int>(bus.size()), device_), "PCI bus id");
  if (!done) return done.error();
  std::string boot;  // of the machine, and the same in its containers
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  return boot + " " + bus.data();
}

Result<CudaMemory> CudaMemory::allocate(const CudaRuntime& cuda, Kind kind, std::size_t bytes) {
  void* memory = nullptr;
  const bool device = kind == Kind::device;
  const int code = device ? cuda.allocate(&memory, bytes) : cuda.allocate_host(&memory, bytes, 0U);
  auto done = cuda.check(code, device ? "cudaMalloc" : "cudaHostAlloc");
  if (!done) {
    return Error{Errc::exhausted, fmt::format("{} ({} bytes)", done.error().message, bytes)};
  }
  return CudaMemory(memory, {device ? cuda.release : cuda.release_host}, bytes);
}

}  // namespace ringmaster::collectives
