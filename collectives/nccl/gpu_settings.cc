// SPDX-License-Identifier: Apache-2.0
#include "collectives/nccl/gpu_settings.h"

#include <cstdlib>

namespace ringmaster::collectives {

namespace {

std::vector<std::string> read_library_names(const char* variable,
                                            std::vector<std::string> otherwise) {
  const char* file = std::getenv(variable);
  if (file == nullptr || *file == '\0') return otherwise;
  return {file};
}

}  // namespace

std::vector<std::string> read_nccl_names() {
  return read_library_names(kNcclLibraryVariable, {"libnccl.so.2"});
}

std::vector<std::string> read_cuda_runtime_names() {
  return read_library_names(kCudaRuntimeVariable,
                            {"libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0"});
}

}  // namespace ringmaster::collectives
