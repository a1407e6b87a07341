// SPDX-License-Identifier: Apache-2.0
//
// What joins the GPUs, told from how many NVLinks each pair shows. Text never names an NVSwitch:
// but one GPU has 6 links (V100), 12 (A100) or 18 (H100 and later), so a GPU whose pairs add up to
// more than that has its links shared, which only a switch does. Up to that they are taken for
// wires of their own: 3 x 4 and 3 x 6 are the boards of four GPUs, and a DGX-1's rows add up to 6.
//
// Pure.
#pragma once

#include "topology/topology.h"

namespace ringmaster::topology {

inline constexpr int kNvlinksOfOneGpu = 18;

/// The fabric that these links of `gpus` GPUs show. Two GPUs with one linked pair cannot be told
/// apart: unknown. No link at all is `none`: whether the source would have shown one, the caller
/// knows.
Fabric fabric_of(std::size_t gpus, const std::vector<Link>& links);

}  // namespace ringmaster::topology
