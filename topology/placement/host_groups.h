// SPDX-License-Identifier: Apache-2.0
//
// Hosts that are alike to a job: of one kind, with the same GPUs free. Of ten thousand hosts there
// are a few hundred groups.
//
// Pure.
#pragma once

#include <optional>
#include <vector>

#include "topology/placement/placement.h"

namespace ringmaster::topology {

struct HostGroup {
  int kind = 0;
  GpuSet free = 0;
  std::vector<int> hosts = {};  // ascending

  bool operator==(const HostGroup&) const = default;
};

/// Those with any free GPU, those with the most first.
std::vector<HostGroup> group_hosts(const Cluster& cluster);

/// How many GPUs a host of each group may give.
struct GroupOffer {
  std::uint32_t counts = 0;  // bit c - 1: it may give c
  std::size_t hosts = 0;
};

/// How many GPUs hosts of which group give, so that there are `gpus` from the fewest hosts, two at
/// least: pairs of a group and a count. Nothing when the offers do not add up to it. The search is
/// bounded: with offers that have gaps ("4 or 1, not 2") it may find more hosts than needed, or
/// none.
std::optional<std::vector<std::pair<std::size_t, int>>> share_out(
    const std::vector<GroupOffer>& offers, int gpus);

}  // namespace ringmaster::topology
