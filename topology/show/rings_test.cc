// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "topology/rings/test_wires.h"
#include "topology/show/show.h"
#include "topology/show/shown_rings.h"

namespace ringmaster::topology {
namespace {

TEST(RingsText, HasColumns) {
  EXPECT_EQ(rings_text(linked_machine(8, cube_mesh()), false),
            "rings for an all-reduce over 8 GPUs: 120.0 GB/s (what nccl-tests calls busbw)\n"
            "  order              GB/s           limited by\n"
            "  0-3-2-1-5-6-7-4    20.0 each way  2 NVLinks of GPU0 and GPU3 (40.0 GB/s?)\n"
            "  0-1-2-3-7-5-6-4    20.0 each way  1 NVLink of GPU0 and GPU1 (20.0 GB/s?)\n"
            "  0-2-6-7-4-5-1-3    20.0 each way  1 NVLink of GPU0 and GPU2 (20.0 GB/s?)\n"
            "  ?: not told, taken from what such machines have\n");
}

TEST(RingsText, ManyRingsAreCounted) {
  std::vector<Link> links;
  for (int a = 0; a < 12; ++a) {
    for (int b = a + 1; b < 12; ++b) links.push_back({a, b, 1});
  }
  const Topology machine = linked_machine(12, links);
  const std::vector<Ring> rings = shown_rings(find_rings(find_wires(machine)));
  ASSERT_GT(rings.size(), 8U);
  const std::string text = rings_text(machine, false);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 12);
  EXPECT_NE(text.find("  and " + std::to_string(rings.size() - 8) + " more, "), std::string::npos)
      << text;
}

TEST(RingsText, ColoursAreForTerminals) {
  const Topology machine = linked_machine(2, {{0, 1, 1}});
  EXPECT_EQ(rings_text(machine, false).find('\x1b'), std::string::npos);
  EXPECT_NE(rings_text(machine, true).find('\x1b'), std::string::npos);
  EXPECT_EQ(rings_text(linked_machine(1, {}), false), "");
}

TEST(ShownRings, ThoseOfOneOrderAreOneAndTheRestIsTheSum) {
  const RingSet set{{{{0, 1, 2}, 10, true, 0}, {{0, 2, 1}, 30, false, 0}, {{0, 1, 2}, 5, true, 0}},
                    {0, 1, 2},
                    60};
  const std::vector<Ring> shown = shown_rings(set);
  ASSERT_EQ(shown.size(), 2U);
  EXPECT_DOUBLE_EQ(shown[0].gb_s, 30);
  EXPECT_DOUBLE_EQ(shown[1].gb_s, 15);
  EXPECT_DOUBLE_EQ(ring_rest_gb_s(shown, 0), 60);
  EXPECT_DOUBLE_EQ(ring_rest_gb_s(shown, 1), 30);
}

}  // namespace
}  // namespace ringmaster::topology
