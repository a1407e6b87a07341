// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "launcher/host_facts.h"

namespace ringmaster::launcher {

std::optional<std::string> read_visible_devices() {
  const char* value = std::getenv("CUDA_VISIBLE_DEVICES");
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

}  // namespace ringmaster::launcher
