// SPDX-License-Identifier: Apache-2.0
//
// Whether the tests run on real GPUs. Only tests include it.
#pragma once

#include <cstdlib>

namespace ringmaster::collectives {

/// scripts/gpu-check sets RINGMASTER_GPU_CHECK; otherwise the stand-ins are used.
inline bool on_real_gpus() {
  return std::getenv("RINGMASTER_GPU_CHECK") != nullptr;
}

}  // namespace ringmaster::collectives
