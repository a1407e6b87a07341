// SPDX-License-Identifier: Apache-2.0
//
// The rings of an all-reduce: which orders of the GPUs, and how much of the data each of them
// carries, so that all together move the most.
//
// A ring's rate is what each GPU sends to the next in a second; with the rates of all rings adding
// up to B, an all-reduce of S bytes on n GPUs takes 2 (n - 1) / n * S / B, so that B is what
// nccl-tests prints as "busbw". The rates are the optimum of a linear programme over all rings
// (packing.h): exactly for up to 12 GPUs, above as good as a local search finds, and above 64 a
// single ring. Where rings of whole links reach the same, those are given.
//
// Where a ring over NVLink or XGMI alone passes all GPUs, no other way is used: PCIe beside it
// would add little, and takes part in every step of the GPU that has it.
//
// Pure.
#pragma once

#include <string>
#include <vector>

#include "topology/rings/tour.h"
#include "topology/rings/wires.h"

namespace ringmaster::topology {

struct Ring {
  Tour order = {};  // places of GPUs: from the first to the second, and so on
  double gb_s = 0;  // 10^9 bytes a second, each way
  bool both_ways = false;
  int limit = 0;  // the wire that has the least left, by its place

  bool operator==(const Ring&) const = default;
};

struct RingSet {
  std::vector<Ring> rings = {};  // empty for fewer than two GPUs
  Tour order = {};               // the best single ring: the order for ranks
  double gb_s = 0;               // of all rings, both ways

  bool operator==(const RingSet&) const = default;
};

RingSet find_rings(const Wires& wires);

/// Only the bandwidth of those rings, in less time; 0 for fewer than two GPUs.
double ring_gb_s(const Wires& wires);

}  // namespace ringmaster::topology
