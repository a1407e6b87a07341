// SPDX-License-Identifier: Apache-2.0
//
// A machine in rows: NVSwitches or bridges above a row of GPUs and adapters, and below it the PCIe
// switches, the processors, and what joins those. Each of them is a bar as wide as what hangs on
// it, so that every link is a short upright line which no other crosses.
//
// Here: what there is and where it lies from left to right. Heights follow from how many rings pass
// each bar (row_rings.h), and come last (row_drawing.h).
//
// Pure.
#pragma once

#include <string>
#include <vector>

#include "topology/rings/wires.h"
#include "topology/show/picture/machine_tree.h"

namespace ringmaster::topology {

enum class RowKind { gpu, nics, pcie_switch, processor, sockets, nvswitch, bridge };

struct RowNode {
  RowKind kind = RowKind::gpu;
  std::string name = {};
  int below = -1, above = -1;             // the bars that it hangs on, by their places
  Speed down = {}, up = {};               // the links to them
  std::vector<std::size_t> devices = {};  // GPUs, or up to two adapters
  std::vector<int> children = {};         // of bars
  int level = 0;                          // bars below the row: from 1 down; bridges: from 1 up
  double left = 0, right = 0, x = 0;      // x: of its links, for bars of that down
};

struct Rows {
  std::vector<RowNode> nodes = {};
  std::vector<int> of_gpu = {};
  int levels = 0;   // of bars below the row, processors included
  int bridges = 0;  // levels of them
  double width = 0;

  const RowNode& at(int node) const { return nodes[static_cast<std::size_t>(node)]; }
};

/// The room of a bar's label, at its left: rings pass beside it.
inline constexpr double kBarLabelRoom = 86, kBarLabelInset = 6;

/// `linked`: with what NVLinks join, which is not to be shown where islands show it.
Rows place_rows(const Topology& machine, const Wires& wires, bool linked);

}  // namespace ringmaster::topology
