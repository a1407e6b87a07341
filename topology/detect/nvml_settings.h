// SPDX-License-Identifier: Apache-2.0
//
// Where NVIDIA's management library is looked for.
#pragma once

#include <string>

namespace ringmaster::topology {

/// The file of NVML, instead of libnvidia-ml.so.1 where the system finds it.
inline constexpr const char* kNvmlLibraryVariable = "RINGMASTER_NVML_LIBRARY";

std::string read_nvml_name();

}  // namespace ringmaster::topology
