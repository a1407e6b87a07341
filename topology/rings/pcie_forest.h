// SPDX-License-Identifier: Apache-2.0
//
// Where GPUs hang below the processors: out of the PCI tree, or, where the source has none, out of
// the classes of paths between them.
//
// Pure.
#pragma once

#include <string>
#include <vector>

#include "topology/rings/speeds.h"

namespace ringmaster::topology {

/// A GPU or a bridge, and its link up.
struct PciePlace {
  int parent = -1;  // -1: the link leads to a processor
  std::string name = {};
  Speed up = {};
};

struct PcieForest {
  std::vector<PciePlace> places = {};
  std::vector<int> of_gpu = {};     // the place of each GPU
  std::vector<int> processor = {};  // which processor each GPU's tree leads to: a number from 0
  std::vector<std::string> processor_names = {};
};

PcieForest find_forest(const Topology& machine);

}  // namespace ringmaster::topology
