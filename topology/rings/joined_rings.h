// SPDX-License-Identifier: Apache-2.0
//
// Rings over the GPUs of several hosts.
//
// On each host such a ring enters at one GPU, passes the others in the order of the host's best
// ring and leaves at the last one. There are as many rings as each host has network adapters, and
// each keeps to one of them, the same one on all hosts where they are alike (a "rail"): so no two
// rings share an adapter, and none passes from one rail's switch to another's.
//
// Pure.
#pragma once

#include <string>
#include <vector>

#include "topology/rings/rings.h"
#include "topology/rings/speeds.h"

namespace ringmaster::topology {

/// An adapter as rings see it: no faster than its own PCIe link.
struct Rail {
  int nic = -1;  // its place; -1: none is known
  Speed speed = {};
};

/// Those that rings use. Adapters with less than half of the fastest one's speed are taken for
/// those of administration and left out; a machine without any is taken to have one of 100 Gbit/s.
std::vector<Rail> rails_of(const Topology& machine);

struct RingHost {
  std::string name;
  const Topology* machine = nullptr;
  std::vector<int> gpus = {};  // places of those that take part; one at least
};

struct JoinedRing {
  std::vector<Tour> orders =
      {};                      // of each host, places of GPUs: the first receives, the last sends
  std::vector<int> nics = {};  // of each host, the place of the adapter; -1: none is known
  double gb_s = 0;             // 10^9 bytes a second
};

struct JoinedRings {
  std::vector<JoinedRing> rings = {};
  double gb_s = 0;    // of all
  std::string limit;  // "the network adapters of n1 (50.0 GB/s)"
  bool assumed = false;
};

/// Of two hosts and more.
JoinedRings join_rings(const std::vector<RingHost>& hosts);

}  // namespace ringmaster::topology
