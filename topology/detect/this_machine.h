// SPDX-License-Identifier: Apache-2.0
//
// Looks at the machine on which this process runs: /sys for the PCI tree, processors and network
// adapters, then NVIDIA's driver for what only it knows.
//
// A machine without GPUs, without a driver or without /sys is a normal machine: what cannot be read
// is unknown, and said in `warnings` where somebody could do something about it.
#pragma once

#include <string>

#include "topology/read/file_tree.h"
#include "topology/topology.h"

namespace ringmaster::topology {

/// The files of /sys and /proc that machine_of_sysfs looks at. `root` ("" is the machine's) is
/// where they are found. Takes some milliseconds; waits for nothing.
FileTree read_sysfs(const std::string& root);

/// This machine, within some milliseconds where there is no driver; one that hangs is given up
/// after 5 s. Thread rules: as read_driver_view (driver_view.h).
Topology read_this_machine();

}  // namespace ringmaster::topology
