// SPDX-License-Identifier: Apache-2.0
//
// Looks at how this host's GPUs are wired: only for --map topo, as asking the driver takes time.
#pragma once

#include "launcher/plan.h"

namespace ringmaster::launcher {

/// Fills the machine with the GPUs that the driver knows, and which of them CUDA shows. Forks: call
/// it before there are threads.
void look_at_gpus(HostFacts* host);

}  // namespace ringmaster::launcher
