// SPDX-License-Identifier: Apache-2.0
//
// What is said when a library is missing, too old, or not what it should be.
#include "collectives/nccl/nccl_library.h"

#include <gtest/gtest.h>

#include "collectives/nccl/gpu_communicator.h"
#include "collectives/nccl/gpu_settings.h"
#include "collectives/nccl/stand_in_for_test.h"

namespace ringmaster::collectives {
namespace {

class NcclLibraryTest : public testing::Test {
 protected:
  void SetUp() override {
    cuda_stand_in().reset();
    nccl_stand_in().reset();
  }
  void TearDown() override { SetUp(); }
};

TEST_F(NcclLibraryTest, OneThatIsNotThereIsNamedWithTheVariableThatHelps) {
  const auto nccl = NcclLibrary::load({"libnccl-nowhere.so.2"});
  ASSERT_FALSE(nccl.ok());
  EXPECT_EQ(nccl.error().code, Errc::not_found);
  EXPECT_NE(nccl.error().message.find("libnccl-nowhere.so.2: cannot open"), std::string::npos)
      << nccl.error().message;
  EXPECT_NE(nccl.error().message.find(kNcclLibraryVariable), std::string::npos);
}

TEST_F(NcclLibraryTest, TheFirstNameThatIsThereIsTaken) {
  const auto nccl = NcclLibrary::load({"libnccl-nowhere.so.2", nccl_stand_in_file()});
  ASSERT_TRUE(nccl.ok()) << nccl.error().message;
  EXPECT_EQ(nccl->name, nccl_stand_in_file());
  EXPECT_EQ(nccl->version, 22809);
}

TEST_F(NcclLibraryTest, AnOldOneIsAnErrorThatNamesBothVersions) {
  nccl_stand_in().set_version(21704);
  const auto nccl = NcclLibrary::load({nccl_stand_in_file()});
  ASSERT_FALSE(nccl.ok());
  EXPECT_EQ(nccl.error().code, Errc::invalid);
  EXPECT_NE(nccl.error().message.find("is NCCL 2.17.4: 2.18.0 or newer"), std::string::npos)
      << nccl.error().message;
  // And it is one for the whole GPU: who installed NCCL wants it used, not worked around.
  const auto gpu = Gpu::open(GpuChoice{}, {{cuda_stand_in_file()}, {nccl_stand_in_file()}, {}});
  ASSERT_FALSE(gpu.ok());
  EXPECT_EQ(gpu.error().message, nccl.error().message);
}

TEST_F(NcclLibraryTest, TheOldestThatWillDoIsTaken) {
  nccl_stand_in().set_version(NcclLibrary::kOldestVersion);
  EXPECT_TRUE(NcclLibrary::load({nccl_stand_in_file()}).ok());
}

TEST_F(NcclLibraryTest, ALibraryOfSomethingElseIsRefused) {
  const auto nccl = NcclLibrary::load({"libm.so.6"});
  ASSERT_FALSE(nccl.ok());
  EXPECT_EQ(nccl.error().message, "libm.so.6: it has no ncclGetVersion");
  const auto cuda = CudaRuntime::load({"libm.so.6"});
  ASSERT_FALSE(cuda.ok());
  EXPECT_NE(cuda.error().message.find("it has no cudaGetDeviceCount"), std::string::npos);
}

TEST_F(NcclLibraryTest, VersionsAreWrittenAsNcclWritesThem) {
  EXPECT_EQ(NcclLibrary::version_text(22809), "2.28.9");
  EXPECT_EQ(NcclLibrary::version_text(21000), "2.10.0");
  EXPECT_EQ(NcclLibrary::version_text(2804), "2.8.4");
}

TEST_F(NcclLibraryTest, AMachineWithoutADriverIsToldSo) {
  cuda_stand_in().set_devices(-1);
  const auto gpu = Gpu::open(GpuChoice{}, {{cuda_stand_in_file()}, {nccl_stand_in_file()}, {}});
  ASSERT_FALSE(gpu.ok());
  EXPECT_EQ(gpu.error().code, Errc::not_found);
  EXPECT_NE(gpu.error().message.find("no GPU: "), std::string::npos) << gpu.error().message;
  EXPECT_NE(gpu.error().message.find("install NVIDIA's driver"), std::string::npos);
}

TEST_F(NcclLibraryTest, ADeviceThatIsNotThereIsNamedWithHowManyAre) {
  cuda_stand_in().set_devices(2);
  const auto gpu =
      Gpu::open(GpuChoice{.device = 2}, {{cuda_stand_in_file()}, {nccl_stand_in_file()}, {}});
  ASSERT_FALSE(gpu.ok());
  EXPECT_NE(gpu.error().message.find("there is no GPU 2: this process has 2"), std::string::npos)
      << gpu.error().message;
}

TEST_F(NcclLibraryTest, WithoutADeviceItIsSaid) {
  cuda_stand_in().set_devices(0);
  const auto gpu = Gpu::open(GpuChoice{}, {{cuda_stand_in_file()}, {nccl_stand_in_file()}, {}});
  ASSERT_FALSE(gpu.ok());
  EXPECT_NE(gpu.error().message.find("no CUDA-capable device"), std::string::npos)
      << gpu.error().message;
}

TEST_F(NcclLibraryTest, TheRealLibrariesLoadWhereTheyAre) {
  // Both open without a driver, so their functions are found on any machine that has them.
  const auto nccl = NcclLibrary::load(read_nccl_names());
  const auto cuda = CudaRuntime::load(read_cuda_runtime_names());
  if (!nccl && !cuda) GTEST_SKIP() << nccl.error().message;
  if (nccl) {
    EXPECT_GE(nccl->version, NcclLibrary::kOldestVersion);
    NcclUniqueId id;
    EXPECT_NE(nccl->text_of(4, nullptr).find("invalid argument"), std::string::npos);
  }
  if (cuda) {
    EXPECT_NE(cuda->text_of(kCudaNoDevice).find("no CUDA-capable device"), std::string::npos);
  }
}

}  // namespace
}  // namespace ringmaster::collectives
