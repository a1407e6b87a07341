// SPDX-License-Identifier: Apache-2.0
//
// Whether the ranks of a generation come to NCCL or to staging, and what they say of it.
#include <gtest/gtest.h>

#include <mutex>

#include "collectives/nccl/gpu_ranks_for_test.h"

namespace ringmaster::collectives {
namespace {

class GpuSetupTest : public testing::Test {
 protected:
  void SetUp() override {
    if (on_real_gpus()) GTEST_SKIP() << "needs the stand-ins";
  }
  void TearDown() override {
    if (on_real_gpus()) return;
    EXPECT_EQ(nccl_stand_in().misuses(), std::vector<std::string>());
    EXPECT_EQ(cuda_stand_in().living(), 0);
  }
};

Gpu::Files without_nccl() {
  Gpu::Files files = files_for_test();
  files.nccl = {"libnccl-nowhere.so"};
  return files;
}

/// The path that all ranks took.
std::string path_of(GpuRanks& ranks, const std::function<Result<Gpu>(int)>& open_gpu) {
  std::vector<std::string> paths(static_cast<std::size_t>(ranks.size()));
  std::vector<std::thread> threads;
  for (int position = 0; position < ranks.size(); ++position) {
    threads.emplace_back([&, position] {
      auto gpu = open_gpu(position);
      ASSERT_TRUE(gpu.ok()) << gpu.error().message;
      auto made = ranks.make(*gpu, position, 1);
      paths[static_cast<std::size_t>(position)] = made ? (*made)->path() : made.error().message;
    });
  }
  for (auto& thread : threads) thread.join();
  for (const std::string& path : paths) EXPECT_EQ(path, paths[0]);
  return paths[0];
}

TEST_F(GpuSetupTest, RanksThatShareAGpuAreStaged) {
  GpuRanks ranks(3);
  EXPECT_EQ(path_of(ranks,
                    [](int position) {
                      return Gpu::open({.device = position == 2 ? 0 : position}, files_for_test());
                    }),
            "staged through host memory: ranks 0 and 2 share a GPU");
}

TEST_F(GpuSetupTest, OneRankWithoutNcclStagesThemAll) {
  GpuRanks ranks(2);
  const std::string path = path_of(ranks, [](int position) {
    return Gpu::open({.device = position}, position == 1 ? without_nccl() : files_for_test());
  });
  EXPECT_EQ(path.find("staged through host memory: rank 1 has no NCCL: libnccl-nowhere.so"), 0u)
      << path;
}

TEST_F(GpuSetupTest, OtherVersionsOfNcclAreAnErrorThatNamesThem) {
  GpuRanks ranks(2);
  std::mutex one_at_a_time;
  EXPECT_EQ(path_of(ranks,
                    [&](int position) {
                      const std::lock_guard lock(one_at_a_time);
                      nccl_stand_in().set_version(position == 0 ? 22809 : 21805);
                      return ranks.open_gpu(position);
                    }),
            "GPUs: rank 0 has NCCL 2.28.9, rank 1 has 2.18.5: install one version everywhere");
}

TEST_F(GpuSetupTest, AStalledGpuEndsAStagedOperationAtItsDeadline) {
  GpuRanks ranks(1);
  const std::string path =
      path_of(ranks, [](int position) { return Gpu::open({.device = position}, without_nccl()); });
  EXPECT_EQ(path.find("staged through host memory"), 0u);
  ranks.run_each([&](Gpu&, int position) {
    auto gpu = Gpu::open({.device = position}, without_nccl());
    ASSERT_TRUE(gpu.ok());
    auto ring = ranks.make(*gpu, position, 1);
    ASSERT_TRUE(ring.ok());
    const float one = 1;
    DeviceArray array(*gpu, &one, sizeof one);
    (*ring)->set_timeout(std::chrono::milliseconds(100));
    cuda_stand_in().stall_streams(true);
    const auto end =
        (*ring)->all_reduce(array.data(), array.data(), 1, RINGMASTER_FLOAT32, RINGMASTER_SUM);
    cuda_stand_in().stall_streams(false);
    ASSERT_FALSE(end.ok());
    EXPECT_EQ(end.error().code, Errc::timed_out);
  });
}

}  // namespace
}  // namespace ringmaster::collectives
