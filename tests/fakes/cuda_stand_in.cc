// SPDX-License-Identifier: Apache-2.0
//
// A stand-in for the CUDA runtime: the same functions, with host memory in the place of a GPU's.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <set>

#include "collectives/nccl/cuda_runtime.h"
#include "collectives/nccl/stand_in_for_test.h"
#include "tests/fakes/cuda_streams.h"

namespace ringmaster::fakes {
namespace {

using collectives::CudaPointer;

constexpr int kInvalidValue = 1;
constexpr int kPinned = 1;
constexpr int kOnDevice = 2;

struct FakeStream {
  std::deque<StreamWork> work;
  std::uint64_t put = 0;
  std::uint64_t done = 0;
};

/// Refers to what was on the stream when it was recorded.
struct FakeEvent {
  FakeStream* stream = nullptr;
  std::uint64_t until = 0;
};

struct Allocation {
  std::size_t bytes;
  int type;
  int device;
};

struct Machine {
  int devices = 8;
  bool stalled = false;
  std::map<std::string, int> faults;
  std::map<std::uintptr_t, Allocation> memory;
  std::set<FakeStream*> streams;
  std::map<int, FakeStream> default_streams;
  std::set<FakeEvent*> events;
};

Machine& machine() {
  static Machine one;
  return one;
}

thread_local int device_of_thread = 0;

using Lock = std::lock_guard<std::recursive_mutex>;

/// The fault that was asked for, once; else 0.
int fault_of(const char* function) {
  if (machine().devices < 0) return collectives::kCudaOldDriver;
  const auto found = machine().faults.find(function);
  if (found == machine().faults.end()) return 0;
  const int code = found->second;
  machine().faults.erase(found);
  return code;
}

FakeStream& stream_of(void* stream) {
  if (stream == nullptr) return machine().default_streams[device_of_thread];
  return *static_cast<FakeStream*>(stream);
}

void pump(FakeStream& stream) {
  while (!stream.work.empty() && stream.work.front()()) {
    stream.work.pop_front();
    ++stream.done;
  }
}

/// Whether what the event refers to is done; a stream that is gone has done its work.
bool is_past(const FakeEvent& event) {
  Machine& all = machine();
  bool there = all.streams.contains(event.stream);
  for (auto& [device, stream] : all.default_streams) there = there || &stream == event.stream;
  if (!there) return true;
  pump(*event.stream);
  return event.stream->done >= event.until;
}

int allocate(void** memory, std::size_t bytes, int type) {
  *memory = std::malloc(bytes == 0 ? 1 : bytes);
  machine().memory[reinterpret_cast<std::uintptr_t>(*memory)] = {bytes, type, device_of_thread};
  return 0;
}

int release(void* memory) {
  if (memory == nullptr) return 0;
  if (machine().memory.erase(reinterpret_cast<std::uintptr_t>(memory)) == 0) return kInvalidValue;
  std::free(memory);
  return 0;
}

void reset_machine() {
  const Lock lock(stand_in_lock());
  machine().devices = 8;
  machine().stalled = false;
  machine().faults.clear();
}

int count_living() {
  const Lock lock(stand_in_lock());
  const Machine& all = machine();
  return static_cast<int>(all.memory.size() + all.streams.size() + all.events.size());
}

}  // namespace

std::recursive_mutex& stand_in_lock() {
  static std::recursive_mutex lock;
  return lock;
}

void put_on_stream(void* stream, StreamWork work) {
  FakeStream& to = stream_of(stream);
  ++to.put;
  if (machine().stalled) work = [] { return false; };
  to.work.push_back(std::move(work));
}

int current_device() {
  return device_of_thread;
}

}  // namespace ringmaster::fakes

using namespace ringmaster::fakes;

extern "C" {

RINGMASTER_STAND_IN_EXPORT ringmaster::collectives::CudaStandIn ringmaster_cuda_stand_in = {
    .reset = reset_machine,
    .set_devices =
        [](int count) {
          const Lock lock(stand_in_lock());
          machine().devices = count;
        },
    .fail_next =
        [](const char* function, int code) {
          const Lock lock(stand_in_lock());
          machine().faults[function] = code;
        },
    .stall_streams =
        [](bool stalled) {
          const Lock lock(stand_in_lock());
          machine().stalled = stalled;
        },
    .living = count_living};

RINGMASTER_STAND_IN_EXPORT int cudaGetDeviceCount(int* count) {
  const Lock lock(stand_in_lock());
  if (const int code = fault_of(__func__); code != 0) return code;
  *count = machine().devices;
  return machine().devices > 0 ? 0 : ringmaster::collectives::kCudaNoDevice;
}

RINGMASTER_STAND_IN_EXPORT int cudaRuntimeGetVersion(int* version) {
  *version = 12040;
  return 0;
}

RINGMASTER_STAND_IN_EXPORT int cudaDriverGetVersion(int* version) {
  *version = 12060;
  return 0;
}

RINGMASTER_STAND_IN_EXPORT int cudaSetDevice(int device) {
  const Lock lock(stand_in_lock());
  if (const int code = fault_of(__func__); code != 0) return code;
  if (device < 0 || device >= machine().devices) return kInvalidValue;
  device_of_thread = device;
  return 0;
}

RINGMASTER_STAND_IN_EXPORT int cudaDeviceGetPCIBusId(char* to, int size, int device) {
  const Lock lock(stand_in_lock());
  if (const int code = fault_of(__func__); code != 0) return code;
  std::snprintf(to, static_cast<std::size_t>(size), "0000:%02x:00.0", 16 + device);
  return 0;
}

RINGMASTER_STAND_IN_EXPORT const char* cudaGetErrorString(int code) {
  if (code == 0) return "no error";
  if (code == kInvalidValue) return "invalid argument";
  if (code == ringmaster::collectives::kCudaOldDriver) {
    return "CUDA driver version is insufficient for CUDA runtime version";
  }
  if (code == ringmaster::collectives::kCudaNoDevice) return "no CUDA-capable device is detected";
  return "unspecified launch failure";
}

RINGMASTER_STAND_IN_EXPORT int cudaGetLastError() {
  return 0;
}

RINGMASTER_STAND_IN_EXPORT int cudaPointerGetAttributes(CudaPointer* to, const void* data) {
  const Lock lock(stand_in_lock());
  if (const int code = fault_of(__func__); code != 0) return code;
  *to = {};
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  auto after = machine().memory.upper_bound(address);
  if (after == machine().memory.begin()) return 0;
  const auto& [begin, allocation] = *--after;
  if (address - begin >= allocation.bytes) return 0;
  to->type = allocation.type;
  to->device = allocation.device;
  return 0;
}

RINGMASTER_STAND_IN_EXPORT int cudaStreamCreateWithFlags(void** stream, unsigned) {
  const Lock lock(stand_in_lock());
  if (const int code = fault_of(__func__); code != 0) return code;
  auto* made = new FakeStream;
  machine().streams.insert(made);
  *stream = made;
  return 0;
}

RINGMASTER_STAND_IN_EXPORT int cudaStreamDestroy(void* stream) {
  const Lock lock(stand_in_lock());
  auto* one = static_cast<FakeStream*>(stream);
  if (machine().streams.erase(one) == 0) return kInvalidValue;
  delete one;
  return 0;
}

RINGMASTER_STAND_IN_EXPORT int cudaStreamQuery(void* stream) {
  const Lock lock(stand_in_lock());
  if (const int code = fault_of(__func__); code != 0) return code;
  FakeStream& one = stream_of(stream);
  pump(one);
  return one.work.empty() ? 0 : ringmaster::collectives::kCudaNotReady;
}

RINGMASTER_STAND_IN_EXPORT int cudaStreamWaitEvent(void* stream, void* event, unsigned) {
  const Lock lock(stand_in_lock());
  if (const int code = fault_of(__func__); code != 0) return code;
  const FakeEvent copy = *static_cast<FakeEvent*>(event);
  put_on_stream(stream, [copy] { return is_past(copy); });
  return 0;
}

RINGMASTER_STAND_IN_EXPORT int cudaEventCreateWithFlags(void** event, unsigned) {
  const Lock lock(stand_in_lock());
  if (const int code = fault_of(__func__); code != 0) return code;
  auto* made = new FakeEvent;
  machine().events.insert(made);
  *event = made;
  return 0;
}

RINGMASTER_STAND_IN_EXPORT int cudaEventRecord(void* event, void* stream) {
  const Lock lock(stand_in_lock());
  if (const int code = fault_of(__func__); code != 0) return code;
  FakeStream& one = stream_of(stream);
  *static_cast<FakeEvent*>(event) = {&one, one.put};
  return 0;
}

RINGMASTER_STAND_IN_EXPORT int cudaEventDestroy(void* event) {
  const Lock lock(stand_in_lock());
  auto* one = static_cast<FakeEvent*>(event);
  if (machine().events.erase(one) == 0) return kInvalidValue;
  delete one;
  return 0;
}

RINGMASTER_STAND_IN_EXPORT int cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, int,
                                               void* stream) {
  const Lock lock(stand_in_lock());
  if (const int code = fault_of(__func__); code != 0) return code;
  put_on_stream(stream, [=] {
    std::memmove(to, from, bytes);
    return true;
  });
  return 0;
}

RINGMASTER_STAND_IN_EXPORT int cudaMalloc(void** memory, std::size_t bytes) {
  const Lock lock(stand_in_lock());
  if (const int code = fault_of(__func__); code != 0) return code;
  return allocate(memory, bytes, kOnDevice);
}

RINGMASTER_STAND_IN_EXPORT int cudaFree(void* memory) {
  const Lock lock(stand_in_lock());
  return release(memory);
}

RINGMASTER_STAND_IN_EXPORT int cudaHostAlloc(void** memory, std::size_t bytes, unsigned) {
  const Lock lock(stand_in_lock());
  if (const int code = fault_of(__func__); code != 0) return code;
  return allocate(memory, bytes, kPinned);
}

RINGMASTER_STAND_IN_EXPORT int cudaFreeHost(void* memory) {
  const Lock lock(stand_in_lock());
  return release(memory);
}

}  // extern "C"
