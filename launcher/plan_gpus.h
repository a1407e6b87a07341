// SPDX-License-Identifier: Apache-2.0
//
// Which GPUs ranks get with --map topo, and in which order: those of this host's visible ones whose
// rings carry the most, so that a rank and the next one are neighbours on the wires.
//
// Ranks find them as ever: CUDA_VISIBLE_DEVICES is the same list for all ranks of the host, and the
// rank's local number indexes it. Only the list's order is chosen here. Each rank stays on the
// processors near its GPU, unless --bind says otherwise.
//
// Pure.
#pragma once

#include "launcher/plan.h"

namespace ringmaster::launcher {

/// Changes the places, binding and variables of a plan whose ranks are all on this host; says why
/// in a remark, also where there is nothing to choose. Errc::exhausted: more ranks than GPUs.
Result<void> map_to_gpus(const RunSettings& settings, const HostFacts& host, Plan* plan);

/// The places in `machine` of those of its GPUs that CUDA shows when this is CUDA_VISIBLE_DEVICES:
/// numbers in the order of bus ids, or the beginnings of names. Errc::invalid for parts of GPUs
/// (MIG), of which --map topo knows nothing.
Result<std::vector<int>> visible_places(const topology::Topology& machine,
                                        const std::optional<std::string>& visible);

}  // namespace ringmaster::launcher
