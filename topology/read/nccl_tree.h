// SPDX-License-Identifier: Apache-2.0
//
// The devices of NCCL's topology XML as they stand in it, before anything is concluded.
//
// Pure.
#pragma once

#include <string>
#include <vector>

#include "topology/read/xml_tree.h"

namespace ringmaster::topology {

/// An NVLink or XGMI element below a GPU.
struct StatedLink {
  std::string from;    // the GPU's bus id
  std::string target;  // as parse_bus_id gives it where it is one, else as it stands
  int count = 0;
  bool to_switch = false;
  int line = 0;
};

struct NcclTree {
  Topology machine;  // pci, nodes, nics, gpus (index -1 where no `dev` stands), unknown devices
  std::vector<StatedLink> links;
};

/// Reads <cpu>, <pci>, <gpu>, <nic>, <net> and links below <system>. What it cannot make sense of
/// it names in the machine's warnings.
NcclTree read_nccl_tree(const XmlElement& system);

}  // namespace ringmaster::topology
