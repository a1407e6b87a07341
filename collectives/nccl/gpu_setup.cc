// SPDX-License-Identifier: Apache-2.0
//
// How a rank finds its GPU, and how the ranks of a generation choose between NCCL and staging.
#include <fmt/format.h>

#include <algorithm>

#include "collectives/nccl/gpu_communicator.h"
#include "collectives/nccl/gpu_settings.h"
#include "collectives/nccl/nccl_engine.h"
#include "collectives/nccl/staged_engine.h"
#include "collectives/neighbour_files.h"

namespace ringmaster::collectives {

namespace {

constexpr const char* kKernelFile = "libringmaster-cuda.so";

/// What ranks tell each other of their GPUs.
struct GpuIntroduction {
  int nccl_version = 0;  // 0: it has none
  GpuWire wire = GpuWire::float32;
  char identity[96] = {};  // of the GPU: the same text is the same GPU
  char why_no_nccl[256] = {};
};

template <std::size_t n>
void put_text(char (&to)[n], const std::string& text) {
  text.copy(to, n - 1);
}

/// Why NCCL cannot be used, or "".
std::string why_staged(const std::vector<GpuIntroduction>& all, const std::vector<int>& numbers) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].nccl_version == 0) {
      return fmt::format("rank {} has {}", numbers[i], all[i].why_no_nccl);
    }
    for (std::size_t k = 0; k < i; ++k) {
      if (std::string_view(all[i].identity) == all[k].identity) {
        return fmt::format("ranks {} and {} share a GPU", numbers[k], numbers[i]);
      }
    }
  }
  return "";
}

}  // namespace

Result<Gpu> Gpu::open(int device, CudaStream program_stream) {
  auto wire = read_gpu_wire();
  if (!wire) return wire.error();
  return open({device, program_stream, *wire},
              {read_cuda_runtime_names(), read_nccl_names(), neighbour_files(kKernelFile)});
}

Result<Gpu> Gpu::open(const GpuChoice& choice, const Files& files) {
  auto cuda = CudaRuntime::load(files.cuda);
  if (!cuda) return cuda.error();
  auto stream = GpuStream::open(*cuda, choice.device, choice.program_stream);
  if (!stream) return stream.error();
  Gpu gpu(choice);
  gpu.stream_ = std::move(*stream);
  if (choice.wire != GpuWire::float32) {
    auto wire = NarrowWire::load(choice.wire, files.kernels);
    if (!wire) return wire.error();
    gpu.narrow_wire_.emplace(std::move(*wire));
  }
  auto nccl = NcclLibrary::load(files.nccl);
  // One that is too old is an error: who installed it wants it used.
  if (!nccl && nccl.error().code != Errc::not_found) return nccl.error();
  if (nccl) {
    gpu.nccl_ = std::move(*nccl);
  } else {
    gpu.why_no_nccl_ = nccl.error().message;
  }
  return gpu;
}

Result<std::unique_ptr<GpuCommunicator>> GpuCommunicator::open(std::unique_ptr<Communicator> host,
                                                               Gpu& gpu, std::vector<int> numbers,
                                                               std::function<bool()> aborted,
                                                               Duration timeout) {
  std::unique_ptr<GpuCommunicator> made(
      new GpuCommunicator(std::move(host), gpu, numbers, std::move(aborted)));
  made->set_timeout(timeout);
  made->watch_.timeout = timeout;
  made->host_->set_timeout(timeout);
  auto chosen = made->choose_engine(numbers);
  if (chosen) return made;
  const Error& error = chosen.error();
  if (error.code == Errc::generation_changed) return error;
  return Error{error.code, "GPUs: " + error.message};
}

Result<void> GpuCommunicator::choose_engine(const std::vector<int>& numbers) {
  GpuIntroduction own;
  auto identity = gpu_.stream().identity();
  if (!identity) return identity.error();
  put_text(own.identity, *identity);
  put_text(own.why_no_nccl, gpu_.why_no_nccl());
  own.wire = gpu_.wire();
  if (gpu_.nccl()) own.nccl_version = gpu_.nccl()->version;
  std::vector<GpuIntroduction> all(numbers.size());
  auto met = host_->all_gather(&own, all.data(), sizeof own, RINGMASTER_UINT8);
  if (!met) return met.error();
  const std::string staged = why_staged(all, numbers);
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i].wire == all[0].wire) continue;
    return Error{Errc::mismatch, fmt::format("{} is {} on rank {} and {} on rank {}",
                                             kGpuWireVariable, wire_name(all[0].wire), numbers[0],
                                             wire_name(all[i].wire), numbers[i])};
  }
  if (!staged.empty() && own.wire != GpuWire::float32) {
    return Error{Errc::invalid, fmt::format("{}={} needs NCCL, and {}", kGpuWireVariable,
                                            wire_name(own.wire), staged)};
  }
  if (!staged.empty()) {
    device_ = std::make_unique<StagedEngine>(gpu_.stream(), *host_);
    path_ = "staged through host memory: " + staged;
    return {};
  }
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i].nccl_version == all[0].nccl_version) continue;
    return Error{Errc::mismatch,
                 fmt::format("rank {} has NCCL {}, rank {} has {}: install one version everywhere",
                             numbers[0], NcclLibrary::version_text(all[0].nccl_version), numbers[i],
                             NcclLibrary::version_text(all[i].nccl_version))};
  }
  return use_nccl();
}

Result<void> GpuCommunicator::use_nccl() {
  auto engine = NcclEngine::open(*gpu_.nccl(), gpu_.stream(), gpu_.narrow_wire(), *host_, watch_);
  if (!engine) return engine.error();
  device_ = std::move(*engine);
  path_ = "NCCL " + NcclLibrary::version_text(gpu_.nccl()->version);
  if (gpu_.wire() != GpuWire::float32) {
    path_ += fmt::format(", all-reduces of float32 as {}", wire_name(gpu_.wire()));
  }
  return {};
}

}  // namespace ringmaster::collectives
