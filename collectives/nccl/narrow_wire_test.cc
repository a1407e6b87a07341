// SPDX-License-Identifier: Apache-2.0
//
// All-reduces that travel in 16 bits: what they come to, which calls of NCCL they become, and what
// is said when ranks or machines do not fit.
#include "collectives/nccl/narrow_wire.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include "collectives/nccl/gpu_ranks_for_test.h"

namespace ringmaster::collectives {
namespace {

/// What the ranks have after an all-reduce of `input(rank)`, which is of several values so that the
/// cast takes four at a time and some one by one.
std::vector<float> reduced(Reduction reduction, float step) {
  GpuRanks ranks(2);
  ranks.set_wire(GpuWire::bfloat16);
  std::vector<float> result;
  ranks.run([&](GpuCommunicator& ring, Gpu& gpu) {
    std::vector<float> data(1003);
    for (std::size_t i = 0; i < data.size(); ++i) {
      data[i] = static_cast<float>(ring.position() + 1) + step * static_cast<float>(i % 2);
    }
    DeviceArray array(gpu, data.data(), data.size() * sizeof(float));
    // From the second element on: no address that four at a time could begin at.
    auto* from = reinterpret_cast<float*>(array.data()) + 1;
    const auto end = ring.all_reduce(from, from, 1002, RINGMASTER_FLOAT32, reduction);
    ASSERT_TRUE(end.ok()) << end.error().message;
    array.read(data.data(), data.size() * sizeof(float));
    if (ring.position() == 0) result.assign(data.begin() + 1, data.end());
  });
  return result;
}

class NarrowWireTest : public testing::Test {
 protected:
  void SetUp() override {
    if (gpus_for_test() < 2) GTEST_SKIP() << "needs two GPUs";
  }
};

TEST_F(NarrowWireTest, WhatFitsIntoBfloat16IsExactAndTheRestIsRounded) {
  const auto sums = reduced(RINGMASTER_SUM, 1.0F / 1024);
  ASSERT_EQ(sums.size(), 1002u);
  EXPECT_EQ(sums[0], 3.0F);  // 1 + 1/1024 has more bits than bfloat16
  EXPECT_EQ(sums[1], 3.0F);
  const auto averages = reduced(RINGMASTER_AVERAGE, 0.5F);
  EXPECT_EQ(averages[0], 2.0F);
  EXPECT_EQ(averages[1001], 1.5F);
}

TEST_F(NarrowWireTest, OthersTravelAsTheyAre) {
  const auto largest = reduced(RINGMASTER_MAX, 1.0F / 1024);
  EXPECT_EQ(largest[0], 2 + 1.0F / 1024);
}

TEST_F(NarrowWireTest, ThePathSaysItAndAGroupKeepsItsOthersTogether) {
  if (on_real_gpus()) GTEST_SKIP() << "needs the stand-in";
  GpuRanks ranks(1);
  ranks.set_wire(GpuWire::bfloat16);
  ranks.run([](GpuCommunicator& ring, Gpu& gpu) {
    EXPECT_EQ(ring.path(), "NCCL 2.28.9, all-reduces of float32 as bfloat16");
    const float data[4] = {};
    DeviceArray array(gpu, data, sizeof data);
    const auto one = [&](Type type, std::size_t count) {
      return Reduce{array.data(), array.data(), count, type, RINGMASTER_SUM};
    };
    ASSERT_TRUE(ring.all_reduce_group({one(RINGMASTER_FLOAT32, 4), one(RINGMASTER_INT32, 3),
                                       one(RINGMASTER_FLOAT16, 2)})
                    .ok());
  });
  const auto log = nccl_stand_in().log(0);
  ASSERT_EQ(log.size(), 10u);
  EXPECT_EQ(std::vector<std::string>(log.begin() + 1, log.end() - 2),
            (std::vector<std::string>{"ncclGroupStart", "ncclAllReduce 3", "ncclAllReduce 2",
                                      "ncclGroupEnd", "ncclGroupStart", "ncclAllReduce 4",
                                      "ncclGroupEnd"}));
  EXPECT_EQ(nccl_stand_in().misuses(), std::vector<std::string>());
}

TEST_F(NarrowWireTest, AKernelThatCannotBeStartedIsAnError) {
  if (on_real_gpus()) GTEST_SKIP() << "needs the stand-in";
  GpuRanks ranks(1);
  ranks.set_wire(GpuWire::float16);
  ranks.run([](GpuCommunicator& ring, Gpu& gpu) {
    const float one = 1;
    DeviceArray array(gpu, &one, sizeof one);
    const auto end =
        ring.all_reduce(array.data(), array.data(), 1, RINGMASTER_FLOAT32, RINGMASTER_SUM);
    ASSERT_FALSE(end.ok());
    EXPECT_EQ(end.error().message,
              "all_reduce of 1 float32 (sum): cast kernel: invalid argument "
              "(CUDA error 1)");
  });
}

/// What opening comes to when each rank has the wire of its place.
std::string error_of_wires(GpuRanks& ranks, const std::vector<GpuWire>& wires, int devices) {
  std::string error;
  std::vector<std::thread> threads;
  for (int position = 0; position < ranks.size(); ++position) {
    threads.emplace_back([&, position] {
      auto gpu = Gpu::open(
          {.device = position % devices, .wire = wires[static_cast<std::size_t>(position)]},
          files_for_test());
      ASSERT_TRUE(gpu.ok()) << gpu.error().message;
      auto made = ranks.make(*gpu, position, 1);
      ASSERT_FALSE(made.ok());
      if (position == 0) error = made.error().message;
    });
  }
  for (auto& thread : threads) thread.join();
  return error;
}

TEST_F(NarrowWireTest, OtherWiresOnOtherRanksAreNamed) {
  GpuRanks ranks(2);
  EXPECT_EQ(error_of_wires(ranks, {GpuWire::float32, GpuWire::bfloat16}, 2),
            "GPUs: RINGMASTER_GPU_WIRE is float32 on rank 0 and bfloat16 on rank 1");
}

TEST_F(NarrowWireTest, WithoutNcclThereIsNone) {
  GpuRanks ranks(2);
  EXPECT_EQ(error_of_wires(ranks, {GpuWire::bfloat16, GpuWire::bfloat16}, 1),
            "GPUs: RINGMASTER_GPU_WIRE=bfloat16 needs NCCL, and ranks 0 and 1 share a GPU");
}

TEST_F(NarrowWireTest, WithoutKernelsItIsSaidWhatToDo) {
  Gpu::Files files = files_for_test();
  files.kernels = {"libringmaster-cuda-nowhere.so"};
  const auto gpu = Gpu::open({.wire = GpuWire::float16}, files);
  ASSERT_FALSE(gpu.ok());
  EXPECT_NE(gpu.error().message.find("RINGMASTER_GPU_WIRE: no CUDA kernels: "), std::string::npos)
      << gpu.error().message;
}

TEST(GpuWireSetting, IsOneOfThreeWords) {
  const auto read = [](const char* text) {
    ::setenv(kGpuWireVariable, text, 1);
    auto wire = read_gpu_wire();
    ::unsetenv(kGpuWireVariable);
    return wire;
  };
  EXPECT_EQ(*read(""), GpuWire::float32);
  EXPECT_EQ(*read("bfloat16"), GpuWire::bfloat16);
  EXPECT_EQ(*read("float16"), GpuWire::float16);
  const auto other = read("fp16");
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().message, "RINGMASTER_GPU_WIRE=fp16: float32, bfloat16 or float16");
}

TEST(CudaKernels, TheLibraryThatNvccBuiltHasThem) {
  const auto wire = NarrowWire::load(GpuWire::bfloat16, {kernel_file_for_test()});
  if (!wire && wire.error().code == Errc::not_found) GTEST_SKIP() << "nvcc was not there";
  EXPECT_TRUE(wire.ok()) << wire.error().message;
}

}  // namespace
}  // namespace ringmaster::collectives
