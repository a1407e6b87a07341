// SPDX-License-Identifier: Apache-2.0
#include "launcher/host_facts.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/temporary_folder.h"

namespace ringmaster::launcher {
namespace {

TEST(HostFacts, GpusAreTheDriversFolders) {
  TemporaryFolder root;
  EXPECT_EQ(count_gpus(root.file("none")), 0);
  std::filesystem::create_directories(root.file("0000:01:00.0"));
  std::filesystem::create_directories(root.file("0000:02:00.0"));
  EXPECT_EQ(count_gpus(root.path()), 2);
}

TEST(HostFacts, VisibleDevicesAreReadAsCudaReadsThem) {
  EXPECT_EQ(count_visible_gpus(8, "0,3"), 2);
  EXPECT_EQ(count_visible_gpus(8, " 7 , 0 ,1"), 3);
  EXPECT_EQ(count_visible_gpus(8, ""), 0);
  EXPECT_EQ(count_visible_gpus(8, "-1"), 0);
  EXPECT_EQ(count_visible_gpus(8, "1,8,2"), 1) << "there is no GPU 8, which ends the list";
  EXPECT_EQ(count_visible_gpus(2, "GPU-aa,MIG-bb,MIG-cc"), 3);
  EXPECT_EQ(count_visible_gpus(0, "0"), 0);
}

}  // namespace
}  // namespace ringmaster::launcher
