// SPDX-License-Identifier: Apache-2.0
//
// Links between GPUs out of what each GPU states of its own: NCCL's files and the driver tell them
// so.
//
// Pure.
#pragma once

#include <string>
#include <vector>

#include "topology/topology.h"

namespace ringmaster::topology {

/// NVLinks or XGMI links of one GPU to one other end.
struct StatedLink {
  std::string from;    // the GPU's bus id
  std::string target;  // a bus id as parse_bus_id gives it, else any text
  int count = 0;
  bool to_switch = false;
  std::string place = {};  // for warnings, such as "line 7: "
};

/// Fills `links`, and `fabric` where there are any. A GPU that is linked to itself, or to what is
/// no GPU here, is a warning. Of two ends that differ the fewer links count. Through switches each
/// GPU reaches each other with all the links that both have.
void settle_links(Topology& machine, const std::vector<StatedLink>& stated);

}  // namespace ringmaster::topology
