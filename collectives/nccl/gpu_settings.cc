// SPDX-License-Identifier: Apache-2.0
#include "collectives/nccl/gpu_settings.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

namespace ringmaster::collectives {

namespace {

std::vector<std::string> read_library_names(const char* variable,
                                            std::vector<std::string> otherwise) {
  const char* file = std::getenv(variable);
  if (file == nullptr || *file == '\0') return otherwise;
  return {file};
}

}  // namespace

const char* wire_name(GpuWire wire) {
  switch (wire) {
    case GpuWire::float32:
      return "float32";
    case GpuWire::bfloat16:
      return "bfloat16";
    case GpuWire::float16:
      return "float16";
  }
  return "?";
}

Result<GpuWire> read_gpu_wire() {
  const char* text = std::getenv(kGpuWireVariable);
  if (text == nullptr || *text == '\0') return GpuWire::float32;
  for (const GpuWire wire : {GpuWire::float32, GpuWire::bfloat16, GpuWire::float16}) {
    if (std::string_view(text) == wire_name(wire)) return wire;
  }
  return Error{Errc::invalid,
               fmt::format("{}={}: float32, bfloat16 or float16", kGpuWireVariable, text)};
}

std::vector<std::string> read_nccl_names() {
  return read_library_names(kNcclLibraryVariable, {"libnccl.so.2"});
}

std::vector<std::string> read_cuda_runtime_names() {
  return read_library_names(kCudaRuntimeVariable,
                            {"libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0"});
}

}  // namespace ringmaster::collectives
