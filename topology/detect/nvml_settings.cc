// SPDX-License-Identifier: Apache-2.0
#include "topology/detect/nvml_settings.h"

#include <cstdlib>

namespace ringmaster::topology {

std::string read_nvml_name() {
  const char* file = std::getenv(kNvmlLibraryVariable);
  return file == nullptr || *file == '\0' ? "libnvidia-ml.so.1" : file;
}

}  // namespace ringmaster::topology
