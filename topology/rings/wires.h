// SPDX-License-Identifier: Apache-2.0
//
// What carries data between the GPUs of a machine: wires with a speed, and for each two GPUs the
// wires on the way from one to the other.
//
// A wire carries its speed in each direction at once, and what several ways cross is shared by
// them. NVLinks of a pair are one wire; through NVSwitches each GPU has one to all others. Without
// NVLink the way leads up the PCIe tree to the bridge above both, or through the processors. A
// source without a tree has classes of paths: GPUs that are PIX of each other share the link above
// their switch, and so on up. No GPU forwards for others.
//
// Pure.
#pragma once

#include <string>
#include <vector>

#include "topology/topology.h"

namespace ringmaster::topology {

struct Wire {
  std::string name;   // "2 NVLinks of GPU0 and GPU3", to say what limits
  double gb_s = 0;    // in each direction, in 10^9 bytes a second
  int parts = 1;      // links of its own that it is made of: NVLinks of one pair
  bool link = false;  // NVLink or XGMI
  bool assumed = false;

  bool operator==(const Wire&) const = default;
};

/// A wire on a way, and in which of its directions.
struct Crossing {
  int wire = 0;
  bool up = true;

  bool operator==(const Crossing&) const = default;
};

using Route = std::vector<Crossing>;

struct Wires {
  std::vector<Wire> wires = {};
  std::vector<std::vector<Route>> routes = {};  // [i][j]: from gpus[i] to gpus[j]; [i][i] is empty

  std::size_t gpus() const { return routes.size(); }
  /// The speed of the slowest wire from one to the other, alone on the way.
  double gb_s(std::size_t from, std::size_t to) const;

  bool operator==(const Wires&) const = default;
};

Wires find_wires(const Topology& machine);

/// The same wires with only these GPUs, by their places and in this order.
Wires select_gpus(const Wires& wires, const std::vector<int>& gpus);

}  // namespace ringmaster::topology
