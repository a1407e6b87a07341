// SPDX-License-Identifier: Apache-2.0
#include "topology/fabric.h"

#include <algorithm>
#include <map>

namespace ringmaster::topology {

Fabric fabric_of(std::size_t gpus, const std::vector<Link>& links) {
  if (links.empty()) return Fabric::none;
  if (gpus <= 2) return Fabric::unknown;
  std::map<int, int> shown;
  for (const Link& link : links) {
    shown[link.a] += link.count;
    shown[link.b] += link.count;
  }
  const bool shared = std::any_of(shown.begin(), shown.end(),
                                  [](const auto& gpu) { return gpu.second > kNvlinksOfOneGpu; });
  return shared ? Fabric::switched : Fabric::direct;
}

}  // namespace ringmaster::topology
