// SPDX-License-Identifier: Apache-2.0
#include "topology/known_machines.h"

#include <gtest/gtest.h>

#include "topology/fabric.h"
#include "topology/rings/rings.h"

namespace ringmaster::topology {
namespace {

TEST(KnownMachines, AreMachines) {
  for (const KnownMachine& known : known_machines()) {
    const auto machine = known_machine(known.name);
    ASSERT_TRUE(machine) << known.name;
    EXPECT_FALSE(machine->nics.empty());
    const auto shown = fabric_of(machine->gpus.size(), machine->links);
    EXPECT_EQ(machine->fabric, shown) << known.name;
    EXPECT_GT(ring_gb_s(find_wires(*machine)), 0) << known.name;
  }
  EXPECT_FALSE(known_machine("dgx"));
}

TEST(KnownMachines, HaveTheRingsOfTheirLinks) {
  const std::vector<std::pair<std::string, double>> expected = {
      {"dgx-1", 120},      {"dgx-2", 120},  {"dgx-a100", 240},
      {"dgx-h100", 370.8}, {"mi300x", 336}, {"l40s", 16}};
  for (const auto& [name, gb_s] : expected) {
    EXPECT_NEAR(ring_gb_s(find_wires(*known_machine(name))), gb_s, 1e-3) << name;
  }
}

TEST(KnownMachines, HaveAdaptersBesideTheirGpus) {
  const auto machine = *known_machine("dgx-h100");
  ASSERT_EQ(machine.nics.size(), 8u);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(machine.nics[i].paths[i], (Path{PathClass::pix, 0}));
  }
}

}  // namespace
}  // namespace ringmaster::topology
