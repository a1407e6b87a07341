// SPDX-License-Identifier: Apache-2.0
//
// A machine out of Linux's /sys: PCI tree, GPUs by their classes, network adapters with speed and
// RDMA devices, NUMA nodes. Of NVLinks /sys knows nothing: unknown, for the driver to tell.
//
// Pure.
#pragma once

#include "topology/read/file_tree.h"
#include "topology/topology.h"

namespace ringmaster::topology {

/// The machine, with what its kernel does not tell left unknown: a `numa_node` of -1 is no node 0.
/// Only devices on the way to GPUs, NICs and devices of unknown kind are kept, and a PCIe switch is
/// one device, not a port for each of its ends.
Topology machine_of_sysfs(const FileTree& tree);

}  // namespace ringmaster::topology
