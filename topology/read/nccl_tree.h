// SPDX-License-Identifier: Apache-2.0
//
// The devices of NCCL's topology XML as they stand in it, before anything is concluded.
//
// Pure.
#pragma once

#include <string>
#include <vector>

#include "topology/read/xml_tree.h"
#include "topology/stated_links.h"

namespace ringmaster::topology {

struct NcclTree {
  Topology machine;  // pci, nodes, nics, gpus (index -1 where no `dev` stands), unknown devices
  std::vector<StatedLink> links;
};

/// Reads <cpu>, <pci>, <gpu>, <nic>, <net> and links below <system>. What it cannot make sense of
/// it names in the machine's warnings.
NcclTree read_nccl_tree(const XmlElement& system);

}  // namespace ringmaster::topology
