// SPDX-License-Identifier: Apache-2.0
//
// Looks at this host: its name, processors, GPUs, limits.
#pragma once

#include "launcher/plan.h"

namespace ringmaster::launcher {

HostFacts read_host_facts();

/// GPUs that the NVIDIA driver shows below `root` (/proc/driver/nvidia/gpus has a folder for each).
/// The driver's own list, so that neither its library nor CUDA is needed to count.
int count_gpus(const std::string& root);

/// Pure: how many of `seen` GPUs a value of CUDA_VISIBLE_DEVICES leaves, as CUDA reads it: an entry
/// that names none ends the list. Entries by name ("GPU-..", "MIG-..") are believed.
int count_visible_gpus(int seen, std::string_view visible);

/// The value of CUDA_VISIBLE_DEVICES here; nothing when it is not set.
std::optional<std::string> read_visible_devices();

/// Raises the soft limit of open files to at least `wanted`. The plan has checked the hard one.
Result<void> raise_open_files(std::uint64_t wanted);
/// The soft limit as it is now: ranks get it back.
std::uint64_t open_files_limit();

}  // namespace ringmaster::launcher
