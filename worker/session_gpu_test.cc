// SPDX-License-Identifier: Apache-2.0
//
// Sessions with GPUs by the C ABI: two ranks of this process, the test in the place of their agent,
// stand-ins in the place of CUDA and NCCL.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <thread>

#include "collectives/nccl/gpu_settings.h"
#include "collectives/nccl/stand_in_for_test.h"
#include "worker/elastic_session.h"
#include "worker/packet.h"

namespace ringmaster::worker {
namespace {

using collectives::CudaRuntime;

class GpuSessionTest : public testing::Test {
 protected:
  static constexpr int kRanks = 2;

  void SetUp() override {
    collectives::cuda_stand_in().reset();
    collectives::nccl_stand_in().reset();
    ::setenv(collectives::kCudaRuntimeVariable, collectives::cuda_stand_in_file().c_str(), 1);
    ::setenv(collectives::kNcclLibraryVariable, collectives::nccl_stand_in_file().c_str(), 1);
    auto cuda = CudaRuntime::load({collectives::cuda_stand_in_file()});
    ASSERT_TRUE(cuda.ok());
    cuda_.emplace(std::move(*cuda));
    auto segment = collectives::Segment::create(kRanks);
    ASSERT_TRUE(segment.ok());
    segment_.emplace(std::move(*segment));
    for (int rank = 0; rank < kRanks; ++rank) open(rank);
  }
  void TearDown() override {
    for (ringmaster_session* session : sessions_) ringmaster_session_close(session);
    for (const char* name :
         {kSocketVariable, kSegmentVariable, kRankVariable, collectives::kCudaRuntimeVariable,
          collectives::kNcclLibraryVariable}) {
      ::unsetenv(name);
    }
    EXPECT_EQ(collectives::nccl_stand_in().misuses(), std::vector<std::string>());
    EXPECT_EQ(collectives::nccl_stand_in().living(), 0);
  }

  void open(int rank) {
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
    agents_.emplace_back(ends[0]);
    ::setenv(kSocketVariable, fmt::format("{}", ends[1]).c_str(), 1);
    ::setenv(kSegmentVariable, fmt::format("{}", ::dup(segment_->fd())).c_str(), 1);
    ::setenv(kRankVariable, fmt::format("{}", rank).c_str(), 1);
    ringmaster_session* session = nullptr;
    ASSERT_EQ(ringmaster_session_open(&session), RINGMASTER_OK) << ringmaster_error_message();
    sessions_.push_back(session);
  }

  /// What the agent says to both when a generation forms.
  void form(std::int64_t generation) {
    segment_->reset();
    for (int rank = 0; rank < kRanks; ++rank) {
      const std::string packet = encode(FormMessage{.generation = generation,
                                                    .position = static_cast<std::uint32_t>(rank),
                                                    .numbers = {0, 1}});
      ASSERT_LT(0, send_packet(agents_[static_cast<std::size_t>(rank)].get(), packet, -1, 0));
    }
  }
  /// Runs `body(session, rank)` on a thread for each.
  template <class Body>
  void run(const Body& body) {
    std::vector<std::thread> threads;
    for (int rank = 0; rank < kRanks; ++rank) {
      threads.emplace_back([&, rank] { body(sessions_[static_cast<std::size_t>(rank)], rank); });
    }
    for (auto& thread : threads) thread.join();
  }

  std::optional<CudaRuntime> cuda_;
  std::optional<collectives::Segment> segment_;
  std::vector<FileDescriptor> agents_;
  std::vector<ringmaster_session*> sessions_;
};

ringmaster_status sum_on_gpu(ringmaster_session* session, void* data) {
  return ringmaster_all_reduce(ringmaster_session_communicator(session), data, data, 1,
                               RINGMASTER_INT32, RINGMASTER_SUM);
}

TEST_F(GpuSessionTest, ArraysOnGpusAreReducedThroughAChangeOfGeneration) {
  form(7);
  std::atomic<int> joined = 0;
  std::int32_t states[kRanks] = {5, 5};
  run([&](ringmaster_session* session, int rank) {
    ASSERT_EQ(ringmaster_session_add_state(session, &states[rank], 4), RINGMASTER_OK);
    ASSERT_EQ(ringmaster_session_use_gpu(session, rank, nullptr), RINGMASTER_OK)
        << ringmaster_error_message();
    ASSERT_EQ(ringmaster_session_join(session), RINGMASTER_OK) << ringmaster_error_message();
    EXPECT_STREQ(ringmaster_session_gpu_path(session), "NCCL 2.28.9");
    void* data = nullptr;
    ASSERT_EQ(cuda_->allocate(&data, 4), 0);
    // The stand-in's GPUs have the host's memory, so the test may look into it.
    *static_cast<std::int32_t*>(data) = rank + 1;
    EXPECT_EQ(sum_on_gpu(session, data), RINGMASTER_OK) << ringmaster_error_message();
    EXPECT_EQ(*static_cast<std::int32_t*>(data), 3);
    // Rank 1 leaves the step, and the agent ends the generation under rank 0's operation.
    ++joined;
    if (rank == 0) {
      EXPECT_EQ(sum_on_gpu(session, data), RINGMASTER_GENERATION_CHANGED);
    }
    if (rank == 1) {
      while (joined.load() < kRanks) std::this_thread::yield();
      segment_->abort(7);
    }
    ASSERT_EQ(cuda_->release(data), 0);
  });
  form(8);
  run([&](ringmaster_session* session, int rank) {
    ASSERT_EQ(ringmaster_session_join(session), RINGMASTER_OK) << ringmaster_error_message();
    ASSERT_EQ(cuda_->set_device(rank), 0);
    void* data = nullptr;
    ASSERT_EQ(cuda_->allocate(&data, 4), 0);
    *static_cast<std::int32_t*>(data) = rank + 10;
    EXPECT_EQ(sum_on_gpu(session, data), RINGMASTER_OK) << ringmaster_error_message();
    EXPECT_EQ(*static_cast<std::int32_t*>(data), 21);
    std::int32_t on_host = 1;
    EXPECT_EQ(sum_on_gpu(session, &on_host), RINGMASTER_OK) << ringmaster_error_message();
    EXPECT_EQ(on_host, 2);
    ASSERT_EQ(cuda_->release(data), 0);
    EXPECT_EQ(ringmaster_session_finish(session), RINGMASTER_OK) << ringmaster_error_message();
  });
  // Closed together, as processes end together: one alone waits for the other's farewell.
  run([](ringmaster_session* session, int) { ringmaster_session_close(session); });
  sessions_.clear();
}

TEST_F(GpuSessionTest, WhatIsMissingIsSaidWithWhatToDo) {
  ::setenv(collectives::kCudaRuntimeVariable, "libcudart-nowhere.so", 1);
  EXPECT_EQ(ringmaster_session_use_gpu(sessions_[0], 0, nullptr), RINGMASTER_NOT_FOUND);
  EXPECT_NE(std::string(ringmaster_error_message()).find("use_gpu: no CUDA runtime: "),
            std::string::npos)
      << ringmaster_error_message();
  EXPECT_STREQ(ringmaster_session_gpu_path(sessions_[0]), "");
}

TEST_F(GpuSessionTest, AStateOnAGpuIsRefused) {
  void* data = nullptr;
  ASSERT_EQ(cuda_->allocate(&data, 4), 0);
  ASSERT_EQ(ringmaster_session_add_state(sessions_[1], data, 4), RINGMASTER_OK);
  EXPECT_EQ(ringmaster_session_use_gpu(sessions_[1], 0, nullptr), RINGMASTER_INVALID);
  ASSERT_EQ(ringmaster_session_use_gpu(sessions_[0], 0, nullptr), RINGMASTER_OK);
  EXPECT_EQ(ringmaster_session_add_state(sessions_[0], data, 4), RINGMASTER_INVALID);
  EXPECT_NE(std::string(ringmaster_error_message()).find("must be in host memory"),
            std::string::npos);
  EXPECT_EQ(ringmaster_session_use_gpu(sessions_[0], 0, nullptr), RINGMASTER_INVALID);
  ASSERT_EQ(cuda_->release(data), 0);
}

TEST(GpuSession, ALoneProgramUsesItsGpuToo) {
  collectives::cuda_stand_in().reset();
  collectives::nccl_stand_in().reset();
  ::setenv(collectives::kCudaRuntimeVariable, collectives::cuda_stand_in_file().c_str(), 1);
  ::setenv(collectives::kNcclLibraryVariable, collectives::nccl_stand_in_file().c_str(), 1);
  ringmaster_session* session = nullptr;
  ASSERT_EQ(ringmaster_session_open(&session), RINGMASTER_OK);
  EXPECT_EQ(ringmaster_session_use_gpu(session, 0, nullptr), RINGMASTER_OK);
  EXPECT_EQ(ringmaster_session_join(session), RINGMASTER_OK) << ringmaster_error_message();
  EXPECT_STREQ(ringmaster_session_gpu_path(session), "NCCL 2.28.9");
  EXPECT_EQ(ringmaster_session_use_gpu(session, 0, nullptr), RINGMASTER_INVALID);
  ringmaster_session_close(session);
  ::unsetenv(collectives::kCudaRuntimeVariable);
  ::unsetenv(collectives::kNcclLibraryVariable);
}

}  // namespace
}  // namespace ringmaster::worker
