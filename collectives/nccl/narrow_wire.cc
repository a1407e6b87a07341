// SPDX-License-Identifier: Apache-2.0
#include "collectives/nccl/narrow_wire.h"

#include <fmt/format.h>

#include "collectives/nccl/loaded_library.h"

namespace ringmaster::collectives {

Result<NarrowWire> NarrowWire::load(GpuWire wire, const std::vector<std::string>& files) {
  CHECK(wire != GpuWire::float32);
  auto library = load_library(files);
  if (!library) {
    return Error{library.error().code,
                 fmt::format("{}: no CUDA kernels: {}; build where nvcc is (-DRINGMASTER_CUDA=ON)",
                             kGpuWireVariable, library.error().message)};
  }
  NarrowWire made(wire);
  auto found = find_symbols(*library, {wanted_symbol("ringmaster_cuda_narrow", made.narrow_),
                                       wanted_symbol("ringmaster_cuda_widen", made.widen_)});
  if (!found) return found.error();
  return made;
}

Result<void*> NarrowWire::narrow(GpuStream& gpu, const float* in, std::size_t count, float factor) {
  CHECK_LE(count, kPiece);
  if (buffer_.empty()) {
    auto memory =
        CudaMemory::allocate(gpu.cuda(), CudaMemory::Kind::device, kPiece * sizeof(std::uint16_t));
    if (!memory) return memory.error();
    buffer_.push_back(std::move(*memory));
  }
  void* out = buffer_[0].data();
  const int brain = wire_ == GpuWire::bfloat16 ? 1 : 0;
  auto put = gpu.cuda().check(narrow_(in, out, count, factor, brain, gpu.raw()), "cast kernel");
  if (!put) return put.error();
  return out;
}

Result<void> NarrowWire::widen(GpuStream& gpu, float* out, std::size_t count) {
  CHECK(!buffer_.empty());
  const int brain = wire_ == GpuWire::bfloat16 ? 1 : 0;
  return gpu.cuda().check(widen_(buffer_[0].data(), out, count, 1.0F, brain, gpu.raw()),
                          "cast kernel");
}

}  // namespace ringmaster::collectives
