// SPDX-License-Identifier: Apache-2.0
#include "topology/show/picture/topology_picture.h"

#include "topology/rings/test_wires.h"
#include "topology/show/picture/islands.h"
#include "topology/show/picture/test_pictures.h"
#include "topology/show/show.h"

namespace ringmaster::topology {
namespace {

std::size_t count_of(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    ++count;
  }
  return count;
}

TEST(TopologyPicture, NoTextLiesOnAnotherOrOutside) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const Topology machine = RandomMachine(seed).make(seed % 40 == 0 ? 16 : 9);
    check_picture(topology_picture(machine), "seed " + std::to_string(seed));
    if (HasFailure()) return;
  }
}

TEST(TopologyPicture, HasEveryGpuAndEveryAdapter) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Topology machine = RandomMachine(seed).make(8);
    const std::string svg = topology_svg(machine);
    for (const Gpu& gpu : machine.gpus) {
      EXPECT_NE(svg.find(">GPU" + std::to_string(gpu.index) + "<"), std::string::npos) << seed;
    }
    for (const Nic& nic : machine.nics) {
      if (nic.name == "mlx5_0") {
        EXPECT_NE(svg.find(">mlx5_0<"), std::string::npos) << seed;
      }
    }
  }
}

TEST(TopologyPicture, AMachineWithNothingIsAPictureToo) {
  const TopologyPicture picture = topology_picture(Topology{});
  check_picture(picture, "nothing");
  EXPECT_EQ(picture.name, "no GPU, 0 NICs");
}

TEST(TopologyPicture, NotesOfAMachineWithNothingLieBelowItsTitle) {
  Topology machine;
  machine.unknown_devices = {{.bus_id = "0000:01:00.0"}};
  machine.missing = {"rows GPU0 to GPU7"};
  check_picture(topology_picture(machine), "notes alone");
}

TEST(TopologyPicture, RingsOfLinksAreClosedLinesInColoursOfTheirOwn) {
  const std::string svg = topology_svg(linked_machine(8, cube_mesh()));
  for (const std::size_t ring : {0U, 1U, 2U}) {
    // One on the machine, one in the legend.
    EXPECT_EQ(count_of(svg, std::string("stroke=\"") + ring_colour(ring)), 2U) << ring;
  }
  EXPECT_EQ(count_of(svg, "Z\" stroke"), 3U);
  EXPECT_EQ(count_of(svg, "stroke-dasharray"), 0U);
  EXPECT_NE(svg.find("All-reduce over 8 GPUs: 120.0 GB/s"), std::string::npos);
  EXPECT_EQ(count_of(svg, ">2×<"), 8U);
}

TEST(TopologyPicture, StepsBetweenIslandsAreDashed) {
  std::vector<Link> links;
  for (const int first : {0, 4}) {
    for (int a = 0; a < 4; ++a) {
      for (int b = a + 1; b < 4; ++b) links.push_back({first + a, first + b, 1});
    }
  }
  const std::string svg = topology_svg(linked_machine(8, links));
  EXPECT_GE(count_of(svg, "stroke-dasharray"), 2U);
  EXPECT_NE(svg.find("dashed: from one GPU to the other over PCIe"), std::string::npos);
}

TEST(TopologyPicture, AsManyRingsAsThereAreColoursAreDrawn) {
  std::vector<Link> links;
  for (int a = 0; a < 10; ++a) {
    for (int b = a + 1; b < 10; ++b) links.push_back({a, b, 1});
  }
  const TopologyPicture picture = topology_picture(linked_machine(10, links));
  const auto& labels = picture.canvas.labels();
  const auto more = std::find_if(labels.begin(), labels.end(), [](const Label& label) {
    return label.text.find("together, not drawn") != std::string::npos;
  });
  EXPECT_NE(more, labels.end());
}

TEST(TopologyIslands, NoLinkPassesBelowAThirdGpu) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const int gpus = 3 + static_cast<int>(random.below(14));
    std::vector<Link> links;
    for (int a = 0; a < gpus; ++a) {
      for (int b = a + 1; b < gpus; ++b) {
        if (random.below(3) == 0) links.push_back({a, b, 1});
      }
    }
    const Topology machine = linked_machine(gpus, links);
    if (machine.fabric != Fabric::direct) continue;
    const auto islands = find_islands(machine, find_wires(machine));
    const IslandPlan plan = place_islands(islands, machine.gpus.size());
    const auto spot = [&](int gpu) { return plan.spots[static_cast<std::size_t>(gpu)]; };
    for (const Link& link : links) {
      const Spot a = spot(link.a), b = spot(link.b);
      for (int other = 0; other < gpus; ++other) {
        if (other == link.a || other == link.b) continue;
        const Spot c = spot(other);
        const double length = std::hypot(b.x - a.x, b.y - a.y);
        const double away =
            std::abs((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)) / length;
        const double along = ((c.x - a.x) * (b.x - a.x) + (c.y - a.y) * (b.y - a.y)) / length;
        EXPECT_TRUE(away > 8 || along < 0 || along > length) << "seed " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace ringmaster::topology
