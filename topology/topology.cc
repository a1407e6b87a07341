// SPDX-License-Identifier: Apache-2.0
#include "topology/topology.h"

#include <algorithm>

#include "base/check.h"

namespace ringmaster::topology {

const char* fabric_name(Fabric fabric) {
  switch (fabric) {
    case Fabric::switched:
      return "switch";
    case Fabric::direct:
      return "direct";
    case Fabric::none:
      return "none";
    case Fabric::unknown:
      return "unknown";
  }
  check_failed(__FILE__, __LINE__, "a fabric without a name");
}

std::optional<std::size_t> find_gpu(const Topology& machine, int index) {
  for (std::size_t i = 0; i < machine.gpus.size(); ++i) {
    if (machine.gpus[i].index == index) return i;
  }
  return std::nullopt;
}

int link_count(const Topology& machine, int a, int b) {
  for (const Link& link : machine.links) {
    if (link.a == std::min(a, b) && link.b == std::max(a, b)) return link.count;
  }
  return 0;
}

void check_topology(const Topology& machine) {
  const std::size_t gpus = machine.gpus.size();
  for (std::size_t i = 1; i < gpus; ++i) {
    CHECK(machine.gpus[i - 1].index < machine.gpus[i].index);
  }
  CHECK_EQ(machine.paths.size(), gpus);
  for (const auto& row : machine.paths) CHECK_EQ(row.size(), gpus);
  for (std::size_t i = 0; i < gpus; ++i) {
    for (std::size_t j = 0; j < gpus; ++j) {
      CHECK(machine.paths[i][j] == machine.paths[j][i]);
      CHECK((machine.paths[i][j] == Path{PathClass::self, 0}) == (i == j));
    }
  }
  for (const Nic& nic : machine.nics) CHECK_EQ(nic.paths.size(), gpus);
  for (const Link& link : machine.links) {
    CHECK(link.a < link.b && link.count > 0);
    CHECK(find_gpu(machine, link.a) && find_gpu(machine, link.b));
  }
  for (std::size_t i = 0; i < machine.pci.size(); ++i) {
    CHECK(machine.pci[i].parent < static_cast<int>(i));
  }
  CHECK(machine.links.empty() || machine.fabric != Fabric::none);
}

}  // namespace ringmaster::topology
