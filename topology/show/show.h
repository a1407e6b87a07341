// SPDX-License-Identifier: Apache-2.0
//
// A topology as text: for people a matrix, a tree and a picture, for programs JSON and NCCL's XML.
//
// Pure.
#pragma once

#include <string>

#include "base/result.h"
#include "topology/topology.h"

namespace ringmaster::topology {

/// The matrix that people know from nvidia-smi, with NICs, processors and NUMA nodes; "?" for what
/// is unknown. Then what is missing and what was odd. `colours` are a terminal's.
std::string matrix_text(const Topology& machine, bool colours);

/// NUMA nodes, the PCI tree below each, GPUs with what is known of them, NICs. Empty where nothing
/// is known of where they are.
std::string tree_text(const Topology& machine, bool colours);

/// The rings over all its GPUs with what each carries, and what limits it. Empty below two GPUs.
std::string rings_text(const Topology& machine, bool colours);

/// A drawing of the machine with its rings, as SVG.
std::string topology_svg(const Topology& machine);

/// Rings over so many hosts like this one, two at least, with the adapter that each keeps to.
std::string joined_text(const Topology& machine, int hosts, bool colours);
/// {"hosts":N,"rings":[{"order":[..],"nic":..,"gb_s":..}],"rings_gb_s":..,"limit":..,"assumed":..}.
std::string joined_json(const Topology& machine, int hosts);

/// One object in one line; read_topology_json reads it.
std::string topology_json(const Topology& machine);

/// The same with the rings over all its GPUs, which are no part of the value.
std::string topology_json_with_rings(const Topology& machine);

/// A file for NCCL_TOPO_FILE, which read_nccl_xml reads. Refuses a machine whose GPUs have no bus
/// ids, such as one out of a matrix, and one of which nothing is known.
Result<std::string> nccl_xml(const Topology& machine);

}  // namespace ringmaster::topology
