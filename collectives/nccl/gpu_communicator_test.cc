// SPDX-License-Identifier: Apache-2.0
//
// Which way a call goes (the host's engine, NCCL, staging), that all ranks agree on it, and what is
// said when they cannot.
#include "collectives/nccl/gpu_communicator.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <numeric>

#include "collectives/nccl/on_device_for_test.h"
#include "collectives/nccl/staged_engine.h"

namespace ringmaster::collectives {
namespace {

class GpuCommunicatorTest : public testing::TestWithParam<GpuRanks::Gpus> {
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

/// The first rank's text, after all ranks have failed with the same.
std::string common_error(std::vector<Result<void>>& results, Errc code) {
  for (const auto& result : results) {
    if (result.ok()) return "it did not fail";
    EXPECT_EQ(result.error().code, code) << result.error().message;
    EXPECT_EQ(result.error().message, results[0].error().message);
  }
  return results[0].error().message;
}

/// Every rank makes its call; what it came to.
std::string error_of(int ranks, GpuRanks::Gpus gpus, Errc code,
                     const std::function<Result<void>(GpuCommunicator&, Gpu&)>& call) {
  std::vector<Result<void>> results(static_cast<std::size_t>(ranks));
  GpuRanks(ranks, gpus).run([&](GpuCommunicator& ring, Gpu& gpu) {
    results[static_cast<std::size_t>(ring.position())] = call(ring, gpu);
  });
  return common_error(results, code);
}

std::size_t work_calls(int rank) {
  std::size_t count = 0;
  for (const std::string& line : nccl_stand_in().log(rank)) count += line.find(' ') < line.size();
  return count;
}

TEST_P(GpuCommunicatorTest, HostMemoryGoesToTheHostsEngine) {
  GpuRanks(2, GetParam()).run([](GpuCommunicator& ring, Gpu&) {
    std::vector<float> data(100, 1);
    ASSERT_TRUE(
        ring.all_reduce(data.data(), data.data(), 100, RINGMASTER_FLOAT32, RINGMASTER_SUM).ok());
    EXPECT_EQ(data, std::vector<float>(100, 2));
    std::vector<Reduce> group = {
        {data.data(), data.data(), 50, RINGMASTER_FLOAT32, RINGMASTER_SUM},
        {data.data() + 50, data.data() + 50, 50, RINGMASTER_FLOAT32, RINGMASTER_MAX}};
    ASSERT_TRUE(ring.all_reduce_group(group).ok());
    EXPECT_EQ(data[0], 4);
    EXPECT_EQ(data[50], 2);
  });
  EXPECT_EQ(work_calls(0), 0u);
}

TEST_P(GpuCommunicatorTest, WhatIsLongerThanABufferGoesInPieces) {
  constexpr std::size_t kCount = StagedEngine::kBufferBytes / sizeof(std::int32_t) * 2 + 77;
  GpuRanks(2, GetParam()).run([](GpuCommunicator& ring, Gpu& gpu) {
    std::vector<std::int32_t> data(kCount), out(kCount);
    std::iota(data.begin(), data.end(), ring.position());
    DeviceArray array(gpu, data.data(), kCount * sizeof(std::int32_t));
    ASSERT_TRUE(
        ring.all_reduce(array.data(), array.data(), kCount, RINGMASTER_INT32, RINGMASTER_SUM).ok());
    array.read(out.data(), kCount * sizeof(std::int32_t));
    for (std::size_t i = 0; i < kCount; i += 1001) {
      ASSERT_EQ(out[i], static_cast<std::int32_t>(2 * i + 1));
    }
    // One rank keeps nothing of what the other sends.
    void* kept = ring.position() == 1 ? array.data() : nullptr;
    ASSERT_TRUE(ring.broadcast(kept, kCount, RINGMASTER_INT32, 1).ok());
  });
  const bool nccl = GetParam() == GpuRanks::Gpus::own;
  EXPECT_EQ(work_calls(0), nccl ? 1u + 3u : 0u);  // the broadcast's pieces
}

TEST_P(GpuCommunicatorTest, UnevenPartsThatAreLongerThanABufferGoInPieces) {
  GpuRanks(2, GetParam()).run([](GpuCommunicator& ring, Gpu& gpu) {
    const Counts counts = {StagedEngine::kBufferBytes + 5, 3};
    std::vector<std::uint8_t> data(total(counts));
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::uint8_t>(i % 100);
    DeviceArray all(gpu, data.data(), data.size());
    const std::size_t own = counts[static_cast<std::size_t>(ring.position())];
    DeviceArray part(gpu, data.data(), own);
    ASSERT_TRUE(
        ring.reduce_scatter(all.data(), part.data(), counts, RINGMASTER_UINT8, RINGMASTER_SUM)
            .ok());
    ASSERT_TRUE(ring.all_gather(part.data(), all.data(), counts, RINGMASTER_UINT8).ok());
    std::vector<std::uint8_t> out(data.size());
    all.read(out.data(), out.size());
    for (std::uint8_t& value : data) value = static_cast<std::uint8_t>(2 * value);
    EXPECT_TRUE(out == data);
    const Counts give = ring.position() == 0 ? counts : Counts{3, 9};
    const Counts take = ring.position() == 0 ? Counts{counts[0], 3} : Counts{3, 9};
    DeviceArray to(gpu, data.data(), data.size());
    ASSERT_TRUE(ring.all_to_all(all.data(), give, to.data(), take, RINGMASTER_UINT8).ok());
  });
}

TEST_P(GpuCommunicatorTest, AnAverageIsOneOfFloats) {
  GpuRanks(2, GetParam()).run([](GpuCommunicator& ring, Gpu& gpu) {
    const double value = ring.position() == 0 ? 1 : 4;
    DeviceArray array(gpu, &value, sizeof value);
    ASSERT_TRUE(
        ring.all_reduce(array.data(), array.data(), 1, RINGMASTER_FLOAT64, RINGMASTER_AVERAGE)
            .ok());
    double out = 0;
    array.read(&out, sizeof out);
    EXPECT_EQ(out, 2.5);
    const auto whole =
        ring.all_reduce(array.data(), array.data(), 1, RINGMASTER_INT64, RINGMASTER_AVERAGE);
    ASSERT_FALSE(whole.ok());
    EXPECT_EQ(whole.error().code, Errc::invalid);
  });
}

TEST_P(GpuCommunicatorTest, OneWithHostMemoryIsNamedBesideOneWithDeviceMemory) {
  const auto text = error_of(2, GetParam(), Errc::mismatch, [](GpuCommunicator& ring, Gpu& gpu) {
    float data = 1;
    DeviceArray array(gpu, &data, sizeof data);
    void* here = ring.position() == 0 ? static_cast<void*>(&data) : array.data();
    return ring.all_reduce(here, here, 1, RINGMASTER_FLOAT32, RINGMASTER_SUM);
  });
  EXPECT_EQ(text,
            "all_reduce of 1 float32 (sum): rank 0 gave host memory, rank 1 gave device memory");
}

TEST_P(GpuCommunicatorTest, HostAndDeviceMemoryInOneCallIsAnErrorOnAllRanks) {
  const auto text = error_of(2, GetParam(), Errc::invalid, [](GpuCommunicator& ring, Gpu& gpu) {
    float data = 1;
    DeviceArray array(gpu, &data, sizeof data);
    void* to = ring.position() == 0 ? static_cast<void*>(array.data()) : &data;
    return ring.all_reduce(array.data(), to, 1, RINGMASTER_FLOAT32, RINGMASTER_SUM);
  });
  EXPECT_EQ(text, "all_reduce of 1 float32 (sum): rank 1 gave host and device memory in one call");
}

TEST_P(GpuCommunicatorTest, MemoryOfAnotherGpuIsRefused) {
  const auto text = error_of(2, GetParam(), Errc::invalid, [](GpuCommunicator& ring, Gpu& gpu) {
    const CudaRuntime& cuda = gpu.stream().cuda();
    EXPECT_EQ(cuda.set_device(7), 0);
    void* elsewhere = nullptr;
    EXPECT_EQ(cuda.allocate(&elsewhere, 4), 0);
    auto end = ring.broadcast(elsewhere, 1, RINGMASTER_FLOAT32, 0);
    EXPECT_EQ(cuda.release(elsewhere), 0);
    return end;
  });
  EXPECT_EQ(text,
            "broadcast of 1 float32 from 0: rank 0 gave memory of a device that is not its "
            "own");
}

TEST_P(GpuCommunicatorTest, OtherCallsAreNamedOnAllRanks) {
  const auto text = error_of(3, GetParam(), Errc::mismatch, [](GpuCommunicator& ring, Gpu& gpu) {
    float data = 1;
    DeviceArray array(gpu, &data, sizeof data);
    if (ring.position() == 2) return ring.barrier();
    return ring.all_reduce(array.data(), array.data(), 1, RINGMASTER_FLOAT32, RINGMASTER_SUM);
  });
  EXPECT_EQ(text, "rank 0 called all_reduce of 1 float32 (sum), rank 2 called barrier");
}

TEST_P(GpuCommunicatorTest, AGroupThatDiffersIsNamedByItsFirstDifference) {
  const auto group_of = [](std::byte* data, std::vector<std::size_t> counts) {
    std::vector<Reduce> group;
    for (const std::size_t count : counts) {
      group.push_back({data, data, count, RINGMASTER_UINT8, RINGMASTER_SUM});
    }
    return group;
  };
  const auto text_of = [&](std::vector<std::size_t> first, std::vector<std::size_t> second) {
    return error_of(2, GetParam(), Errc::mismatch, [&](GpuCommunicator& ring, Gpu& gpu) {
      const float data[2] = {1, 1};
      DeviceArray array(gpu, data, sizeof data);
      return ring.all_reduce_group(group_of(array.data(), ring.position() == 0 ? first : second));
    });
  };
  EXPECT_EQ(text_of({1, 2, 3}, {1, 4, 3}),
            "rank 0 called all_reduce of 2 uint8 (sum), rank 1 called all_reduce of 4 uint8 (sum), "
            "as number 2 of a group");
  EXPECT_EQ(text_of({1, 2, 3}, {1, 2}),
            "rank 0 called a group of 3 all_reduces, rank 1 called a group of 2 all_reduces");
}

TEST_P(GpuCommunicatorTest, PartsThatDoNotFitAreNamedOnAllRanks) {
  const auto text = error_of(2, GetParam(), Errc::mismatch, [](GpuCommunicator& ring, Gpu& gpu) {
    const float data[8] = {};
    DeviceArray from(gpu, data, sizeof data), to(gpu, data, sizeof data);
    const Counts take = ring.position() == 0 ? Counts{1, 2} : Counts{1, 3};
    return ring.all_to_all(from.data(), {1, 1}, to.data(), take, RINGMASTER_FLOAT32);
  });
  EXPECT_EQ(text, "all_to_all: rank 1 gives 1 elements to rank 0, which takes 2");
}

INSTANTIATE_TEST_SUITE_P(Paths, GpuCommunicatorTest,
                         testing::Values(GpuRanks::Gpus::own, GpuRanks::Gpus::shared),
                         [](const auto& one) {
                           return one.param == GpuRanks::Gpus::own ? "nccl" : "staged";
                         });

/// Sends and receives between threads, over an engine that may have none of its own.
class Letters {
 public:
  void put(int from, int to, std::string bytes) {
    const std::lock_guard lock(mutex_);
    boxes_[{from, to}].push_back(std::move(bytes));
    changed_.notify_all();
  }
  std::string take(int from, int to) {
    std::unique_lock lock(mutex_);
    auto& box = boxes_[{from, to}];
    if (!changed_.wait_for(lock, std::chrono::seconds(30), [&] { return !box.empty(); })) return "";
    std::string bytes = std::move(box.front());
    box.pop_front();
    return bytes;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::pair<int, int>, std::deque<std::string>> boxes_;
};

class WithLetters : public ShmCommunicator {
 public:
  WithLetters(const Segment& segment, ShmMembership membership, Letters& letters)
      : ShmCommunicator(segment, std::move(membership)), letters_(letters) {}
  Result<void> exchange(const std::vector<Transfer>& sends,
                        const std::vector<Transfer>& receives) override {
    for (const Transfer& one : sends) {
      letters_.put(position(), one.peer,
                   std::string(static_cast<const char*>(one.data), one.count * size_of(one.type)));
    }
    for (const Transfer& one : receives) {
      const std::string bytes = letters_.take(one.peer, position());
      if (bytes.size() != one.count * size_of(one.type)) {
        return Error{Errc::mismatch, "a letter of another size"};
      }
      copy_bytes(one.data, bytes.data(), bytes.size());
    }
    return {};
  }

 private:
  Letters& letters_;
};

/// Ranks that can send and receive.
struct WritingRanks {
  WritingRanks(int count, GpuRanks::Gpus gpus) : ranks(count, gpus) {
    auto made = Segment::create(count);
    CHECK(made.ok());
    segment.emplace(std::move(*made));
    segment->reset();
    std::vector<int> numbers(static_cast<std::size_t>(count));
    std::iota(numbers.begin(), numbers.end(), 0);
    ranks.host = [this, numbers](int position, std::int64_t generation) {
      return std::make_unique<WithLetters>(
          *segment, ShmMembership{generation, numbers, position, 2}, letters);
    };
  }
  std::optional<Segment> segment;
  Letters letters;
  GpuRanks ranks;
};

TEST_P(GpuCommunicatorTest, TransfersMeetInTheirOrder) {
  constexpr std::size_t kLong = StagedEngine::kTransferBytes + 3;  // of bytes: two pieces
  WritingRanks(3, GetParam()).ranks.run([](GpuCommunicator& engine, Gpu& gpu) {
    OnDevice ring(engine, gpu);
    const int next = (ring.position() + 1) % 3, last = (ring.position() + 2) % 3;
    const auto byte = [](int rank) { return static_cast<std::uint8_t>(10 + rank); };
    std::vector<std::uint8_t> first(kLong, byte(ring.position())), second(5, 99), in(kLong),
        more(5);
    const auto transfer = [](std::vector<std::uint8_t>& data, int peer) {
      return Transfer{data.data(), data.size(), RINGMASTER_UINT8, peer};
    };
    const auto end = ring.exchange({transfer(first, next), transfer(second, next)},
                                   {transfer(in, last), transfer(more, last)});
    ASSERT_TRUE(end.ok()) << end.error().message;
    EXPECT_EQ(in, std::vector<std::uint8_t>(kLong, byte(last)));
    EXPECT_EQ(more, std::vector<std::uint8_t>(5, 99));
  });
}

TEST_P(GpuCommunicatorTest, ATransferOfAnotherCountOrMemoryIsNamedAtBothEnds) {
  std::vector<std::string> texts(2);
  const auto exchange = [&](bool device) {
    WritingRanks(2, GetParam()).ranks.run([&](GpuCommunicator& ring, Gpu& gpu) {
      float data[3] = {};
      DeviceArray array(gpu, data, sizeof data);
      void* there = device || ring.position() == 0 ? static_cast<void*>(array.data()) : data;
      const Transfer one{there, device && ring.position() == 0 ? 2u : 3u, RINGMASTER_FLOAT32,
                         1 - ring.position()};
      const auto end = ring.position() == 0 ? ring.exchange({one}, {}) : ring.exchange({}, {one});
      ASSERT_FALSE(end.ok());
      EXPECT_EQ(end.error().code, Errc::mismatch);
      texts[static_cast<std::size_t>(ring.position())] = end.error().message;
    });
  };
  exchange(true);
  EXPECT_EQ(texts[0],
            "send and receive: rank 0 sends 2 float32 in device memory, rank 1 takes 3 "
            "float32 in device memory");
  EXPECT_EQ(texts[1],
            "send and receive: rank 1 takes 3 float32 in device memory, rank 0 sends 2 "
            "float32 in device memory");
  exchange(false);
  EXPECT_EQ(texts[0],
            "send and receive: rank 0 sends 3 float32 in device memory, rank 1 takes 3 "
            "float32 in host memory");
}

}  // namespace
}  // namespace ringmaster::collectives
