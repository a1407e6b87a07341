// SPDX-License-Identifier: Apache-2.0
#include "topology/pci.h"

#include <gtest/gtest.h>

#include "topology/numbers.h"
#include "topology/path.h"

namespace ringmaster::topology {
namespace {

TEST(BusId, AllForms) {
  EXPECT_EQ(parse_bus_id("0000:3b:00.0"), "0000:3b:00.0");
  EXPECT_EQ(parse_bus_id("00000000:3B:00.0"), "0000:3b:00.0");
  EXPECT_EQ(parse_bus_id("3b:1f.7"), "0000:3b:1f.7");
  EXPECT_EQ(parse_bus_id("10000:00:04.0"), "10000:00:04.0") << "a virtual machine's domain";
  for (const char* text : {"", "x", "3b:00", "3b.0", "0000:3b:00.8", "0000:3bb:00.0", "0x0:3b:00.0",
                           "fffffff:ffff:ff", "123456789:3b:00.0", "::.", ".:"}) {
    EXPECT_EQ(parse_bus_id(text), std::nullopt) << text;
  }
}

TEST(Kind, ADisplayOfAServersConsoleIsNoGpu) {
  EXPECT_TRUE(is_gpu({.bus_id = "", .class_code = 0x030200, .vendor = kNvidia}));
  EXPECT_TRUE(is_gpu({.bus_id = "", .class_code = 0x120000, .vendor = kAmd}));
  EXPECT_FALSE(is_gpu({.bus_id = "", .class_code = 0x030000, .vendor = 0x1a03}));
  EXPECT_FALSE(is_gpu({.bus_id = "", .class_code = 0x068000, .vendor = kNvidia}));
  EXPECT_FALSE(is_gpu({.bus_id = ""}));
  EXPECT_TRUE(is_nic({.bus_id = "", .class_code = 0x020700}));
}

TEST(Numbers, ListsAndMasks) {
  EXPECT_EQ(parse_cpu_list("0-2,8"), (std::vector<int>{0, 1, 2, 8}));
  EXPECT_EQ(cpu_list_text({0, 1, 2, 8}), "0-2,8");
  EXPECT_EQ(parse_cpu_mask("1,80000001"), (std::vector<int>{0, 31, 32}));
  EXPECT_EQ(parse_cpu_mask(cpu_mask_text({0, 31, 32})), (std::vector<int>{0, 31, 32}));
  for (const char* text : {"", "1,", "3-1", "a", "0-99999999", "1-2-3"}) {
    EXPECT_EQ(parse_cpu_list(text), std::nullopt) << text;
  }
  EXPECT_EQ(parse_gt_s("32 GT/s PCIe/s"), 32);
  EXPECT_EQ(parse_gt_s("8.0 GT/s"), 8);
  EXPECT_EQ(parse_gt_s(""), std::nullopt);
  EXPECT_EQ(parse_gt_s("Unknown speed"), std::nullopt);
}

TEST(Paths, TextsAndOrder) {
  for (const char* text : {"X", "NV1", "NV18", "PIX", "PXB", "PHB", "NODE", "SYS"}) {
    EXPECT_EQ(path_text(*parse_path(text)), text);
  }
  for (const char* text : {"", "NV", "NV0", "NV1x", "nv1", "SY", "NV1000"}) {
    EXPECT_EQ(parse_path(text), std::nullopt) << text;
  }
  EXPECT_TRUE(is_nearer(*parse_path("NV2"), *parse_path("NV1")));
  EXPECT_TRUE(is_nearer(*parse_path("NV1"), *parse_path("PIX")));
  EXPECT_FALSE(is_nearer(*parse_path("SYS"), *parse_path("NODE")));
}

}  // namespace
}  // namespace ringmaster::topology
