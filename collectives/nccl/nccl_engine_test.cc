// SPDX-License-Identifier: Apache-2.0
//
// Which calls of NCCL an operation becomes, and how faults and ends of generations come out of it,
// with a stand-in that keeps a log and does wrong when it is told to.
#include "collectives/nccl/nccl_engine.h"

#include <gtest/gtest.h>

#include <latch>
#include <numeric>

#include "collectives/nccl/gpu_ranks_for_test.h"

namespace ringmaster::collectives {
namespace {

using Log = std::vector<std::string>;

/// The rank's calls after its communicator was there and before its farewell.
Log calls_of(int rank) {
  Log log = nccl_stand_in().log(rank);
  const auto begin = std::find(log.begin(), log.end(), "ncclCommInitRankConfig");
  const auto end = std::find(log.begin(), log.end(), "ncclCommFinalize");
  return begin == log.end() ? log : Log(begin + 1, end);
}

Result<void> sum(GpuCommunicator& ring, const DeviceArray& array, std::size_t count) {
  return ring.all_reduce(array.data(), array.data(), count, RINGMASTER_FLOAT32, RINGMASTER_SUM);
}

class NcclEngineTest : public testing::Test {
 protected:
  void SetUp() override {
    if (on_real_gpus()) GTEST_SKIP() << "needs the stand-in";
  }
  void TearDown() override {
    if (on_real_gpus()) return;
    EXPECT_EQ(nccl_stand_in().misuses(), Log());
    EXPECT_EQ(nccl_stand_in().living(), 0);
    EXPECT_EQ(cuda_stand_in().living(), 0);
  }

  /// Every rank makes an all-reduce with a fault in NCCL; the results, by position.
  std::vector<Result<void>> reduce_with_fault(const NcclFault& fault, Duration timeout,
                                              const std::function<void(const GpuRanks&)>& then) {
    GpuRanks ranks(2);
    ranks.set_timeout(timeout);
    std::vector<Result<void>> results(2);
    std::latch ready(3);
    std::thread agent([&] {
      ready.arrive_and_wait();
      then(ranks);
    });
    ranks.run([&](GpuCommunicator& ring, Gpu& gpu) {
      const std::vector<float> ones(64, 1);
      DeviceArray array(gpu, ones.data(), ones.size() * sizeof(float));
      if (ring.position() == 0) nccl_stand_in().inject(fault);
      ready.arrive_and_wait();
      auto& result = results[static_cast<std::size_t>(ring.position())];
      result = sum(ring, array, 64);
      if (result.ok()) return;
      // Nothing is in step after a failure: what comes next says the same.
      const auto again = ring.barrier();
      ASSERT_FALSE(again.ok());
    });
    agent.join();
    return results;
  }
};

void nothing(const GpuRanks&) {}

TEST_F(NcclEngineTest, ACommunicatorIsMadeFromOneIdAndEndsInOrder) {
  GpuRanks ranks(3);
  ranks.run([](GpuCommunicator& ring, Gpu&) {
    EXPECT_EQ(ring.path(), "NCCL 2.28.9");
    EXPECT_TRUE(ring.barrier().ok());
  });
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(nccl_stand_in().log(rank),
              (Log{"ncclCommInitRankConfig", "ncclCommFinalize", "ncclCommDestroy"}));
  }
}

TEST_F(NcclEngineTest, AnAllReduceIsOneCallAndAGroupIsOneGroup) {
  GpuRanks(2).run([](GpuCommunicator& ring, Gpu& gpu) {
    const std::vector<float> ones(30, 1);
    DeviceArray array(gpu, ones.data(), ones.size() * sizeof(float));
    auto* data = reinterpret_cast<float*>(array.data());
    ASSERT_TRUE(sum(ring, array, 30).ok());
    const auto reduce = [&](std::size_t begin, std::size_t count) {
      return Reduce{data + begin, data + begin, count, RINGMASTER_FLOAT32, RINGMASTER_SUM};
    };
    ASSERT_TRUE(ring.all_reduce_group({reduce(0, 10), reduce(10, 0), reduce(20, 5)}).ok());
    std::vector<float> out(30);
    array.read(out.data(), out.size() * sizeof(float));
    EXPECT_EQ(out[0], 4);
    EXPECT_EQ(out[15], 2);
    EXPECT_EQ(out[20], 4);
    EXPECT_EQ(out[25], 2);
  });
  EXPECT_EQ(calls_of(1),
            (Log{"ncclGroupStart", "ncclAllReduce 30", "ncclGroupEnd", "ncclGroupStart",
                 "ncclAllReduce 10", "ncclAllReduce 5", "ncclGroupEnd"}));
}

TEST_F(NcclEngineTest, UnevenPartsAreAGroupOfRootedOperations) {
  GpuRanks(2).run([](GpuCommunicator& ring, Gpu& gpu) {
    const std::vector<std::int32_t> numbers = {1, 2, 3, 4};
    DeviceArray all(gpu, numbers.data(), 16), own(gpu, numbers.data(), 16);
    ASSERT_TRUE(
        ring.reduce_scatter(all.data(), own.data(), {3, 1}, RINGMASTER_INT32, RINGMASTER_SUM));
    ASSERT_TRUE(ring.all_gather(own.data(), all.data(), {3, 1}, RINGMASTER_INT32));
    ASSERT_TRUE(
        ring.reduce_scatter(all.data(), own.data(), {2, 2}, RINGMASTER_INT32, RINGMASTER_SUM));
    ASSERT_TRUE(ring.all_gather(own.data(), all.data(), {2, 2}, RINGMASTER_INT32));
    std::vector<std::int32_t> out(4);
    all.read(out.data(), 16);
    EXPECT_EQ(out, (std::vector<std::int32_t>{4, 8, 12, 16}));
  });
  EXPECT_EQ(calls_of(0),
            (Log{"ncclGroupStart", "ncclReduce 3", "ncclReduce 1", "ncclGroupEnd", "ncclGroupStart",
                 "ncclBroadcast 3", "ncclBroadcast 1", "ncclGroupEnd", "ncclGroupStart",
                 "ncclReduceScatter 2", "ncclGroupEnd", "ncclGroupStart", "ncclAllGather 2",
                 "ncclGroupEnd"}));
}

TEST_F(NcclEngineTest, AnAllToAllIsAGroupOfSendsAndReceives) {
  GpuRanks(2).run([](GpuCommunicator& ring, Gpu& gpu) {
    const std::vector<std::uint8_t> bytes = {1, 2, 3, 4};
    DeviceArray from(gpu, bytes.data(), 4), to(gpu, bytes.data(), 4);
    const auto swap = [](Counts counts, int position) {
      return position == 0 ? counts : Counts{counts[1], counts[0]};
    };
    const Counts counts = swap({1, 3}, ring.position());
    ASSERT_TRUE(ring.all_to_all(from.data(), counts, to.data(), counts, RINGMASTER_UINT8).ok());
    std::vector<std::uint8_t> out(4);
    to.read(out.data(), 4);
    EXPECT_EQ(out, ring.position() == 0 ? (std::vector<std::uint8_t>{1, 1, 2, 3})
                                        : (std::vector<std::uint8_t>{2, 3, 4, 4}));
  });
  EXPECT_EQ(calls_of(0), (Log{"ncclGroupStart", "ncclSend 3", "ncclRecv 3", "ncclGroupEnd"}));
}

TEST_F(NcclEngineTest, TheEndOfAGenerationEndsAHangingOperationOnAllRanks) {
  const auto begin = read_clock();
  const auto results = reduce_with_fault({.kind = NcclFault::Kind::hang}, std::chrono::seconds(60),
                                         [](const GpuRanks& ranks) { ranks.abort(1); });
  EXPECT_LT(read_clock() - begin, std::chrono::seconds(20));
  for (int rank = 0; rank < 2; ++rank) {
    const auto& result = results[static_cast<std::size_t>(rank)];
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, Errc::generation_changed) << result.error().message;
    if (!calls_of(rank).empty()) {
      EXPECT_EQ(nccl_stand_in().log(rank).back(), "ncclCommAbort");
    }
  }
}

TEST_F(NcclEngineTest, AHangEndsAtTheDeadlineWithAnAbort) {
  const auto results =
      reduce_with_fault({.kind = NcclFault::Kind::hang}, std::chrono::milliseconds(300), nothing);
  for (int rank = 0; rank < 2; ++rank) {
    const auto& result = results[static_cast<std::size_t>(rank)];
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, Errc::timed_out);
    EXPECT_NE(result.error().message.find("all_reduce of 64 float32 (sum): NCCL has not finished"),
              std::string::npos)
        << result.error().message;
    EXPECT_EQ(nccl_stand_in().log(rank).back(), "ncclCommAbort");
  }
}

TEST_F(NcclEngineTest, AnErrorCarriesNcclsLastText) {
  constexpr int kInternalError = 3;
  const auto results =
      reduce_with_fault({.kind = NcclFault::Kind::async_error, .result = kInternalError},
                        std::chrono::milliseconds(400), nothing);
  ASSERT_FALSE(results[0].ok());
  EXPECT_EQ(results[0].error().code, Errc::io);
  EXPECT_EQ(results[0].error().message,
            "all_reduce of 64 float32 (sum): NCCL: internal error: socket: the other side has "
            "closed (NCCL_DEBUG=INFO says more)");
  EXPECT_EQ(nccl_stand_in().log(0).back(), "ncclCommAbort");
}

TEST_F(NcclEngineTest, AnErrorOfADeadPeerIsExplainedByTheEndOfTheGeneration) {
  const auto results =
      reduce_with_fault({.kind = NcclFault::Kind::async_error, .result = kNcclRemoteError},
                        std::chrono::seconds(60), [](const GpuRanks& ranks) {
                          std::this_thread::sleep_for(std::chrono::milliseconds(100));
                          ranks.abort(1);
                        });
  for (const auto& result : results) {
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, Errc::generation_changed) << result.error().message;
  }
}

TEST_F(NcclEngineTest, ACallThatIsRefusedInsideAGroupEndsTheGroup) {
  const auto results =
      reduce_with_fault({.kind = NcclFault::Kind::refuse, .function = "ncclAllReduce", .result = 5},
                        std::chrono::milliseconds(300), nothing);
  ASSERT_FALSE(results[0].ok());
  EXPECT_NE(results[0].error().message.find("invalid usage: ncclAllReduce was told to fail"),
            std::string::npos)
      << results[0].error().message;
  const Log log = nccl_stand_in().log(0);
  ASSERT_GE(log.size(), 2u);
  EXPECT_EQ(log[log.size() - 2], "ncclGroupEnd");
  EXPECT_EQ(log.back(), "ncclCommAbort");
}

TEST_F(NcclEngineTest, AGroupThatCannotBeginOrEndIsAnError) {
  for (const char* function : {"ncclGroupStart", "ncclGroupEnd"}) {
    const auto results =
        reduce_with_fault({.kind = NcclFault::Kind::refuse, .function = function, .result = 2},
                          std::chrono::milliseconds(300), [](const GpuRanks& ranks) {
                            std::this_thread::sleep_for(std::chrono::milliseconds(600));
                            ranks.abort(1);  // a system error may be a dead peer's
                          });
    ASSERT_FALSE(results[0].ok());
    EXPECT_EQ(results[0].error().code, Errc::generation_changed) << function;
    EXPECT_NE(results[0].error().message.find("unhandled system error"), std::string::npos);
  }
}

/// What opening the communicators comes to when NCCL does not do its part.
std::vector<Error> errors_of_opening(GpuRanks& ranks) {
  std::vector<Error> errors(static_cast<std::size_t>(ranks.size()), {Errc::exists, ""});
  ranks.run_each([&](Gpu& gpu, int position) {
    auto made = ranks.make(gpu, position, 1);
    if (!made) errors[static_cast<std::size_t>(position)] = made.error();
  });
  return errors;
}

TEST_F(NcclEngineTest, ACommunicatorThatIsNeverReadyEndsAtTheDeadline) {
  GpuRanks ranks(1);
  ranks.set_timeout(std::chrono::milliseconds(200));
  nccl_stand_in().inject({.kind = NcclFault::Kind::stay});
  const auto errors = errors_of_opening(ranks);
  EXPECT_EQ(errors[0].code, Errc::timed_out);
  EXPECT_EQ(nccl_stand_in().log(0), (Log{"ncclCommInitRankConfig", "ncclCommAbort"}));
}

TEST_F(NcclEngineTest, ACommunicatorThatIsNeverReadyEndsWithItsGeneration) {
  GpuRanks ranks(2);
  nccl_stand_in().inject({.kind = NcclFault::Kind::stay, .rank = 1});
  std::thread agent([&] {
    while (nccl_stand_in().living() < 2) std::this_thread::yield();
    ranks.abort(1);
  });
  ranks.run_each([&](Gpu& gpu, int position) {
    auto made = ranks.make(gpu, position, 1);
    // Rank 0's own may have been ready: then its first operation hears the end.
    auto end = made ? (*made)->barrier() : Result<void>(made.error());
    ASSERT_FALSE(end.ok());
    EXPECT_EQ(end.error().code, Errc::generation_changed) << end.error().message;
  });
  agent.join();
}

TEST_F(NcclEngineTest, AnIdThatCannotBeMadeIsAnErrorOnAllRanks) {
  GpuRanks ranks(2);
  nccl_stand_in().inject(
      {.kind = NcclFault::Kind::refuse, .function = "ncclGetUniqueId", .result = 3});
  for (const Error& error : errors_of_opening(ranks)) {
    EXPECT_EQ(error.code, Errc::io);
    EXPECT_EQ(error.message,
              "GPUs: ncclGetUniqueId: NCCL: internal error: ncclGetUniqueId was "
              "told to fail");
  }
}

TEST_F(NcclEngineTest, SurvivorsMakeANewCommunicatorOnTheSameGpus) {
  GpuRanks ranks(2);
  std::latch made(2), over(2), formed(2);
  ranks.run_each([&](Gpu& gpu, int position) {
    auto first = ranks.make(gpu, position, 1);
    ASSERT_TRUE(first.ok()) << first.error().message;
    made.arrive_and_wait();
    if (position == 0) ranks.abort(1);
    EXPECT_FALSE((*first)->barrier().ok());
    first->reset();
    over.arrive_and_wait();
    if (position == 0) ranks.reset();
    formed.arrive_and_wait();
    auto second = ranks.make(gpu, position, 2);
    ASSERT_TRUE(second.ok()) << second.error().message;
    const float one = 1;
    DeviceArray array(gpu, &one, sizeof one);
    ASSERT_TRUE(sum(**second, array, 1).ok());
    float out = 0;
    array.read(&out, sizeof out);
    EXPECT_EQ(out, 2);
  });
}

TEST_F(NcclEngineTest, AStreamThatFailsIsAnErrorWithCudasText) {
  GpuRanks(1).run([](GpuCommunicator& ring, Gpu& gpu) {
    const float one = 1;
    DeviceArray array(gpu, &one, sizeof one);
    cuda_stand_in().fail_next("cudaStreamQuery", 719);
    const auto end = sum(ring, array, 1);
    ASSERT_FALSE(end.ok());
    EXPECT_EQ(end.error().message,
              "all_reduce of 1 float32 (sum): the GPU's stream: unspecified launch failure (CUDA "
              "error 719)");
  });
}

}  // namespace
}  // namespace ringmaster::collectives
