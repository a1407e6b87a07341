// SPDX-License-Identifier: Apache-2.0
//
// Which GPUs of which hosts a job gets.
//
// The most bandwidth of rings over them, in whole: between hosts a ring passes each host's network
// adapters, so the slowest of all hosts' rings and networks counts. Of equals the fewest hosts, and
// of those the least harm to what comes next (machine_table.h): a job of two GPUs does not break up
// the last eight that are together.
//
// Pure.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "topology/placement/machine_table.h"

namespace ringmaster::topology {

/// Machines of one make are one kind: what they are worth is worked out once. At most
/// kGpusOfMachineMost GPUs.
struct MachineKind {
  Wires wires = {};
  double network_gb_s = 0;        // of all its adapters together, in each direction
  std::vector<int> numbers = {};  // by which people know its GPUs; empty: their places
};

struct HostRoom {
  std::string name;
  int kind = 0;     // the place of its kind
  GpuSet free = 0;  // GPUs that nobody has
};

struct Cluster {
  std::vector<MachineKind> kinds = {};
  std::vector<HostRoom> hosts = {};
};

/// What a job gets of a host.
struct HostShare {
  int host = 0;
  std::vector<int> order = {};  // places of GPUs, in the order of the best ring
};

struct Placement {
  std::vector<HostShare> shares = {};
  double gb_s = 0;  // infinite for a single GPU
  std::string why = {};
};

/// A placement, or why there is none. Hosts' kinds and free GPUs must be there.
std::variant<Placement, std::string> find_placement(const Cluster& cluster, int gpus);

/// What the adapters of a machine that rings use (joined_rings.h) carry together.
double network_gb_s(const Topology& machine);

}  // namespace ringmaster::topology
