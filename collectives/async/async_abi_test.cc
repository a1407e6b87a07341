// SPDX-License-Identifier: Apache-2.0
//
// Started operations and groups through the C ABI, on the engines: random sequences of started and
// blocking calls against what the arrays must hold, and their ends with the generation.
#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "base/random.h"
#include "collectives/handle.h"
#include "collectives/ringmaster_async.h"
#include "collectives/shm/ranks_for_test.h"
#include "collectives/solo_communicator.h"
#include "collectives/tcp/ranks_for_test.h"

namespace ringmaster::collectives {
namespace {

using AbiBody = std::function<void(ringmaster_communicator&)>;

/// Runs the body on a thread for each rank, with a handle of its own.
void run_handles(const Segment& segment, int ranks, std::int64_t generation, const AbiBody& body) {
  std::vector<int> numbers;
  for (int number = 0; number < ranks; ++number) numbers.push_back(number);
  std::vector<std::thread> threads;
  for (int position = 0; position < ranks; ++position) {
    threads.emplace_back([&, position] {
      ringmaster_communicator ring;
      ring.engine = std::make_unique<ShmCommunicator>(
          segment, ShmMembership{generation, numbers, position, 2});
      ring.engine->set_timeout(std::chrono::seconds(60));
      body(ring);
    });
  }
  for (auto& thread : threads) thread.join();
}

void on_shm_handles(int ranks, const AbiBody& body) {
  auto segment = Segment::create(ranks);
  ASSERT_TRUE(segment.ok());
  run_handles(*segment, ranks, 1, body);
}

void on_tcp_handles(int ranks, const AbiBody& body) {
  TcpRanks all(ranks);
  std::vector<std::thread> threads;
  for (int position = 0; position < ranks; ++position) {
    threads.emplace_back([&, position] {
      ringmaster_communicator ring;
      ring.engine = all.make(1, position);
      body(ring);
    });
  }
  for (auto& thread : threads) thread.join();
}

using Ints = std::vector<std::int64_t>;

/// A sequence of sums, started and blocking in turns as the seed says, waited for in any order.
void sum_at_random(ringmaster_communicator& ring, std::uint64_t seed) {
  Random shared(seed);  // the same on all
  Random own(seed * 1000 + static_cast<std::uint64_t>(ringmaster_position(&ring)));  // not
  const std::int64_t ranks = ringmaster_size(&ring);
  struct Sum {
    Ints data;
    std::int64_t first;
    ringmaster_work* work;
  };
  std::vector<Sum> sums;
  for (int turn = 0; turn < 40; ++turn) {
    const std::size_t count = 1 + shared.below(3000);
    sums.push_back({Ints(count, turn + ringmaster_position(&ring)), turn, nullptr});
  }
  for (Sum& sum : sums) {
    // Which call is started and which blocks may differ between ranks: only the order counts.
    if (own.chance(0.3)) {
      ASSERT_EQ(ringmaster_all_reduce(&ring, sum.data.data(), sum.data.data(), sum.data.size(),
                                      RINGMASTER_INT64, RINGMASTER_SUM),
                RINGMASTER_OK);
      continue;
    }
    ASSERT_EQ(ringmaster_all_reduce_start(&ring, sum.data.data(), sum.data.data(), sum.data.size(),
                                          RINGMASTER_INT64, RINGMASTER_SUM, &sum.work),
              RINGMASTER_OK);
    if (own.chance(0.2)) std::this_thread::sleep_for(std::chrono::microseconds(own.below(500)));
  }
  for (std::size_t i = sums.size(); i > 1; --i) std::swap(sums[i - 1], sums[own.below(i)]);
  for (Sum& sum : sums) {
    if (sum.work != nullptr) {
      ASSERT_EQ(ringmaster_work_wait(sum.work, 60), RINGMASTER_OK);
      EXPECT_EQ(ringmaster_work_done(sum.work), 1);
      ringmaster_work_free(sum.work);
    }
    const std::int64_t expected = ranks * sum.first + ranks * (ranks - 1) / 2;
    EXPECT_EQ(sum.data, Ints(sum.data.size(), expected));
  }
}

TEST(Async, RandomSequencesKeepTheirOrderOnSharedMemory) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    on_shm_handles(2 + static_cast<int>(seed % 3),
                   [&](ringmaster_communicator& ring) { sum_at_random(ring, seed); });
  }
}

TEST(Async, RandomSequencesKeepTheirOrderOverTcp) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    on_tcp_handles(2 + static_cast<int>(seed % 3),
                   [&](ringmaster_communicator& ring) { sum_at_random(ring, seed); });
  }
}

TEST(Async, EveryOperationHasItsStartedForm) {
  on_shm_handles(2, [](ringmaster_communicator& ring) {
    const int me = ringmaster_position(&ring);
    ringmaster_work* work = nullptr;
    const auto finish = [&](ringmaster_status status) {
      ASSERT_EQ(status, RINGMASTER_OK) << ringmaster_error_message();
      EXPECT_EQ(ringmaster_work_wait(work, 60), RINGMASTER_OK);
      ringmaster_work_free(work);
    };
    std::int64_t number = 7 + me, pair[2] = {}, own[2] = {me, me + 10}, one = 0;
    finish(ringmaster_broadcast_start(&ring, &number, 1, RINGMASTER_INT64, 1, &work));
    EXPECT_EQ(number, 8);
    finish(ringmaster_all_gather_start(&ring, own, pair, 1, RINGMASTER_INT64, &work));
    EXPECT_EQ(pair[0] + 2 * pair[1], 2);
    {
      // The counts are copied: they may go before the operation is over.
      const size_t counts[2] = {1, 1};
      pair[0] = pair[1] = -1;
      finish(ringmaster_all_gather_counts_start(&ring, own, pair, counts, RINGMASTER_INT64, &work));
      EXPECT_EQ(pair[0] + 2 * pair[1], 2);
      finish(ringmaster_reduce_scatter_start(&ring, own, &one, counts, RINGMASTER_INT64,
                                             RINGMASTER_SUM, &work));
      EXPECT_EQ(one, me == 0 ? 1 : 21);
      finish(
          ringmaster_all_to_all_start(&ring, own, counts, pair, counts, RINGMASTER_INT64, &work));
      EXPECT_EQ(pair[0] + pair[1], me == 0 ? 1 : 21);
    }
    finish(ringmaster_barrier_start(&ring, &work));
  });
}

TEST(Async, AGenerationThatEndsEndsAllThatWasStarted) {
  auto segment = Segment::create(2);
  ASSERT_TRUE(segment.ok());
  ringmaster_communicator ring;  // the other rank never comes
  ring.engine = std::make_unique<ShmCommunicator>(*segment, ShmMembership{1, {0, 1}, 0, 2});
  float data[4] = {1, 2, 3, 4};
  std::vector<ringmaster_work*> works(5);
  for (auto& work : works) {
    ASSERT_EQ(ringmaster_all_reduce_start(&ring, data, data, 4, RINGMASTER_FLOAT32, RINGMASTER_SUM,
                                          &work),
              RINGMASTER_OK);
  }
  EXPECT_EQ(ringmaster_work_wait(works[0], 0.01), RINGMASTER_TIMED_OUT);
  EXPECT_EQ(ringmaster_work_done(works[0]), 0);
  segment->abort(1);
  for (auto* work : works) {
    EXPECT_EQ(ringmaster_work_wait(work, 60), RINGMASTER_GENERATION_CHANGED);
    ringmaster_work_free(work);
  }
  EXPECT_EQ(ringmaster_barrier(&ring), RINGMASTER_GENERATION_CHANGED);
}

TEST(Async, WhateverIsOnItsWayEndsWithItsGeneration) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const int ranks = 2 + static_cast<int>(seed % 3);
    auto segment = Segment::create(ranks);
    ASSERT_TRUE(segment.ok());
    std::thread breaker([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(Random(seed).below(3000)));
      segment->abort(1);
    });
    run_handles(*segment, ranks, 1, [&](ringmaster_communicator& ring) {
      Random own(seed + static_cast<std::uint64_t>(ringmaster_position(&ring)) * 77);
      std::vector<double> data(2000, 1);
      std::vector<ringmaster_work*> works;
      ringmaster_status status = RINGMASTER_OK;
      while (status == RINGMASTER_OK) {
        ringmaster_work* work = nullptr;
        const auto started =
            ringmaster_all_reduce_start(&ring, data.data(), data.data(), data.size(),
                                        RINGMASTER_FLOAT64, RINGMASTER_MAX, &work);
        if (started == RINGMASTER_EXHAUSTED) {
          status = ringmaster_work_wait(works.back(), 60);
          continue;
        }
        ASSERT_EQ(started, RINGMASTER_OK);
        works.push_back(work);
        if (own.chance(0.2)) status = ringmaster_work_wait(works[own.below(works.size())], 60);
        if (own.chance(0.05)) std::this_thread::sleep_for(std::chrono::microseconds(300));
      }
      EXPECT_EQ(status, RINGMASTER_GENERATION_CHANGED);
      bool ended = false;  // all that follow an operation that ended have ended too
      for (ringmaster_work* work : works) {
        const auto one = ringmaster_work_wait(work, 60);
        EXPECT_TRUE(one == RINGMASTER_GENERATION_CHANGED || (one == RINGMASTER_OK && !ended));
        ended = ended || one != RINGMASTER_OK;
        ringmaster_work_free(work);
      }
    });
    breaker.join();
    segment->reset();
    run_handles(*segment, ranks, 2,
                [&](ringmaster_communicator& ring) { sum_at_random(ring, seed); });
  }
}

TEST(Async, ARankThatLeavesDoesNotWaitForTheOthers) {
  auto segment = Segment::create(2);
  ASSERT_TRUE(segment.ok());
  const Time begin = read_clock();
  ringmaster_work* work = nullptr;
  {
    ringmaster_communicator ring;
    ring.engine = std::make_unique<ShmCommunicator>(*segment, ShmMembership{1, {0, 1}, 0, 2});
    ASSERT_EQ(ringmaster_barrier_start(&ring, &work), RINGMASTER_OK);
    segment->leave(1);
  }
  EXPECT_LT(to_seconds(read_clock() - begin), 30);
  EXPECT_EQ(ringmaster_work_wait(work, 0), RINGMASTER_GENERATION_CHANGED);
  ringmaster_work_free(work);
  EXPECT_FALSE(Segment::attach(segment->fd())->aborted(1)) << "the others go on";
}

TEST(Async, AnErrorOfOneRankIsEverybodys) {
  on_shm_handles(2, [](ringmaster_communicator& ring) {
    float data[4] = {};
    ringmaster_work *first = nullptr, *second = nullptr;
    const size_t count = ringmaster_position(&ring) == 0 ? 4 : 3;
    ASSERT_EQ(ringmaster_all_reduce_start(&ring, data, data, count, RINGMASTER_FLOAT32,
                                          RINGMASTER_SUM, &first),
              RINGMASTER_OK);
    ASSERT_EQ(ringmaster_barrier_start(&ring, &second), RINGMASTER_OK);
    EXPECT_EQ(ringmaster_work_wait(first, 60), RINGMASTER_MISMATCH);
    EXPECT_STREQ(ringmaster_error_message(),
                 "rank 0 called all_reduce of 4 float32 (sum), rank 1 called all_reduce of 3 "
                 "float32 (sum)");
    EXPECT_EQ(ringmaster_work_wait(second, 60), RINGMASTER_MISMATCH);
    ringmaster_work_free(first);
    ringmaster_work_free(second);
  });
}

class AsyncCalls : public testing::Test {
 protected:
  AsyncCalls() { ring_.engine = std::make_unique<SoloCommunicator>(); }
  void expect_error(ringmaster_status status, ringmaster_status expected, const char* message) {
    EXPECT_EQ(status, expected);
    EXPECT_STREQ(ringmaster_error_message(), message);
  }

  ringmaster_communicator ring_;
  float in_[3] = {1, 2, 3}, out_[3] = {};
};

TEST_F(AsyncCalls, NameWhatIsWrong) {
  ringmaster_work* work = nullptr;
  expect_error(ringmaster_barrier_start(nullptr, &work), RINGMASTER_INVALID,
               "barrier: no communicator (join first)");
  EXPECT_EQ(work, nullptr);
  expect_error(ringmaster_barrier_start(&ring_, nullptr), RINGMASTER_INVALID,
               "start: no place for the work");
  expect_error(ringmaster_send(&ring_, in_, 3, RINGMASTER_FLOAT32, 1), RINGMASTER_INVALID,
               "send: there is no position 1");
  expect_error(ringmaster_work_wait(nullptr, 1), RINGMASTER_INVALID, "work_wait: no work");
  ASSERT_EQ(ringmaster_barrier_start(&ring_, &work), RINGMASTER_OK);
  expect_error(ringmaster_work_wait(work, -1), RINGMASTER_INVALID, "work_wait: -1 seconds");
  EXPECT_EQ(ringmaster_work_wait(work, 60), RINGMASTER_OK);
  ringmaster_work_free(work);
  ringmaster_work_free(nullptr);
}

TEST_F(AsyncCalls, AGroupIsCarriedOutByItsEnd) {
  ASSERT_EQ(ringmaster_group_begin(&ring_), RINGMASTER_OK);
  float sent[2] = {5, 6}, received[2] = {};
  EXPECT_EQ(ringmaster_all_reduce(&ring_, in_, out_, 3, RINGMASTER_FLOAT32, RINGMASTER_SUM),
            RINGMASTER_OK);
  EXPECT_EQ(ringmaster_receive(&ring_, received, 2, RINGMASTER_FLOAT32, 0), RINGMASTER_OK);
  EXPECT_EQ(ringmaster_send(&ring_, sent, 2, RINGMASTER_FLOAT32, 0), RINGMASTER_OK);
  EXPECT_EQ(out_[2] + received[0], 0);
  EXPECT_EQ(ringmaster_group_end(&ring_), RINGMASTER_OK);
  EXPECT_EQ(out_[2], 3);
  EXPECT_EQ(received[1], 6);

  ringmaster_work* work = nullptr;
  ASSERT_EQ(ringmaster_group_begin(&ring_), RINGMASTER_OK);
  EXPECT_EQ(ringmaster_all_reduce(&ring_, sent, out_, 2, RINGMASTER_FLOAT32, RINGMASTER_SUM),
            RINGMASTER_OK);
  ASSERT_EQ(ringmaster_group_end_start(&ring_, &work), RINGMASTER_OK);
  EXPECT_EQ(ringmaster_work_wait(work, 60), RINGMASTER_OK);
  EXPECT_EQ(out_[1], 6);
  ringmaster_work_free(work);
}

TEST_F(AsyncCalls, AGroupWithAWrongCallDoesNothing) {
  expect_error(ringmaster_group_end(&ring_), RINGMASTER_INVALID, "group_end: no group was begun");
  ASSERT_EQ(ringmaster_group_begin(&ring_), RINGMASTER_OK);
  expect_error(ringmaster_group_begin(&ring_), RINGMASTER_INVALID,
               "group_begin: a group is open already");
  EXPECT_EQ(ringmaster_all_reduce(&ring_, in_, out_, 3, RINGMASTER_FLOAT32, RINGMASTER_SUM),
            RINGMASTER_OK);
  expect_error(ringmaster_barrier(&ring_), RINGMASTER_INVALID,
               "a group is open: only all_reduce, send and receive go into one");
  expect_error(ringmaster_group_end(&ring_), RINGMASTER_INVALID,
               "group_end: not carried out: a group is open: only all_reduce, send and receive go "
               "into one");
  EXPECT_EQ(out_[2], 0);
  EXPECT_EQ(ringmaster_barrier(&ring_), RINGMASTER_OK);
}

}  // namespace
}  // namespace ringmaster::collectives
