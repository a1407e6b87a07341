// SPDX-License-Identifier: Apache-2.0
//
// Named tensors through the C ABI: random orders and delays on several ranks, with generations that
// end in the middle, and ranks that differ.
#include "collectives/tensors/tensors.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <numeric>
#include <thread>

#include "base/random.h"
#include "collectives/handle.h"
#include "collectives/ringmaster_tensors.h"
#include "collectives/shm/ranks_for_test.h"
#include "collectives/tcp/ranks_for_test.h"

namespace ringmaster::collectives {
namespace {

using TensorBody = std::function<void(ringmaster_communicator&)>;

/// The ranks of one host, generation after generation.
class Host {
 public:
  explicit Host(int ranks) {
    auto made = Segment::create(ranks);
    CHECK(made.ok());
    segment_.emplace(std::move(*made));
    // Not the positions, so that messages show which is meant.
    for (int rank = ranks; rank > 0; --rank) numbers_.push_back(rank - 1);
  }
  void run(std::int64_t generation, const TensorBody& body) {
    segment_->reset();
    std::vector<std::thread> threads;
    for (int position = 0; position < static_cast<int>(numbers_.size()); ++position) {
      threads.emplace_back([&, position] {
        ringmaster_communicator ring;
        ring.engine = std::make_unique<ShmCommunicator>(
            *segment_, ShmMembership{generation, numbers_, position, 2});
        ring.begin_generation(generation, numbers_);
        ring.engine->set_timeout(std::chrono::seconds(60));
        body(ring);
      });
    }
    for (auto& thread : threads) thread.join();
  }
  const Segment& segment() const { return *segment_; }

 private:
  std::optional<Segment> segment_;
  std::vector<int> numbers_;
};

/// What each rank hands in during a step: the same names and sizes for all, from one seed.
class Step {
 public:
  Step(std::uint64_t seed, int rank) {
    Random shared(seed);
    const std::size_t names = 1 + shared.below(30);
    together_ = shared.chance(0.5);
    for (std::size_t i = 0; i < names; ++i)
      counts_.push_back(shared.below(shared.chance(0.1) ? 40000 : 300));
    sums_.resize(std::accumulate(counts_.begin(), counts_.end(), std::size_t{0}));
    std::size_t at = 0;
    for (std::size_t i = 0; i < names; ++i) {
      std::fill_n(sums_.begin() + static_cast<std::ptrdiff_t>(at), counts_[i], value(i, rank));
      if (!together_) apart_.emplace_back(counts_[i], value(i, rank));
      at += counts_[i];
    }
  }

  /// Hands all in, in an order and with pauses of this rank's own.
  ringmaster_status hand_in(ringmaster_communicator& ring, Random& own,
                            std::vector<ringmaster_work*>* works) {
    std::vector<std::size_t> order(counts_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[own.below(i)]);
    for (const std::size_t i : order) {
      ringmaster_work* work = nullptr;
      const auto status = ringmaster_tensor_all_reduce(
          &ring, ("layer " + std::to_string(i)).c_str(), memory(i), memory(i), counts_[i],
          RINGMASTER_FLOAT64, RINGMASTER_SUM, works == nullptr ? nullptr : &work);
      if (status != RINGMASTER_OK) return status;
      if (work != nullptr) works->push_back(work);
      if (own.chance(0.1)) std::this_thread::sleep_for(std::chrono::microseconds(own.below(800)));
    }
    return RINGMASTER_OK;
  }
  void check(int ranks) {
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      double expected = 0;
      for (int rank = 0; rank < ranks; ++rank) expected += value(i, rank);
      const double* data = memory(i);
      for (std::size_t n = 0; n < counts_[i]; ++n) ASSERT_EQ(data[n], expected) << i << " " << n;
    }
  }

 private:
  static double value(std::size_t i, int rank) { return static_cast<double>(i + 1) * (rank + 1); }
  double* memory(std::size_t i) {
    if (!together_) return apart_[i].data();
    return sums_.data() + std::accumulate(counts_.begin(),
                                          counts_.begin() + static_cast<std::ptrdiff_t>(i),
                                          std::size_t{0});
  }

  bool together_ = false;
  std::vector<std::size_t> counts_;
  std::vector<double> sums_;                // one after the other
  std::vector<std::vector<double>> apart_;  // or each for itself
};

ringmaster_status wait_for(const std::vector<ringmaster_work*>& works) {
  ringmaster_status worst = RINGMASTER_OK;
  for (ringmaster_work* work : works) {
    const auto status = ringmaster_work_wait(work, 60);
    if (status != RINGMASTER_OK) worst = status;
    ringmaster_work_free(work);
  }
  return worst;
}

/// Some steps, each ended in one of the ways in which a program may.
void run_steps(ringmaster_communicator& ring, std::uint64_t seed, int steps) {
  const int rank = ringmaster_position(&ring), ranks = ringmaster_size(&ring);
  Random shared(seed), own(seed * 100 + static_cast<std::uint64_t>(rank));
  for (int turn = 0; turn < steps; ++turn) {
    const bool same_names = turn > 0 && shared.chance(0.7);
    Step step(same_names ? seed : seed + static_cast<std::uint64_t>(turn), rank);
    const std::uint64_t way = shared.below(3);
    std::vector<ringmaster_work*> works;
    ASSERT_EQ(step.hand_in(ring, own, way == 0 ? nullptr : &works), RINGMASTER_OK)
        << ringmaster_error_message();
    if (way == 1) {
      // Behind them in the order of calls.
      ASSERT_EQ(ringmaster_barrier(&ring), RINGMASTER_OK) << ringmaster_error_message();
    }
    ASSERT_EQ(way == 0 ? ringmaster_tensors_wait_all(&ring, 60) : wait_for(works), RINGMASTER_OK)
        << ringmaster_error_message();
    step.check(ranks);
  }
  EXPECT_EQ(ringmaster_tensors_wait_all(&ring, 60), RINGMASTER_OK);
  // As at the end of a session: nobody leaves while others still agree on the end of a batch.
  EXPECT_EQ(ringmaster_barrier(&ring), RINGMASTER_OK);
}

TEST(NamedTensors, AreReducedInWhateverOrderTheyComeOnSharedMemory) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Host host(2 + static_cast<int>(seed % 3));
    host.run(1, [&](ringmaster_communicator& ring) { run_steps(ring, seed, 5); });
  }
}

TEST(NamedTensors, AreReducedInWhateverOrderTheyComeOverTcp) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    TcpRanks all(2 + static_cast<int>(seed % 3));
    std::vector<std::thread> threads;
    for (int position = 0; position < all.size(); ++position) {
      threads.emplace_back([&, position] {
        ringmaster_communicator ring;
        ring.engine = all.make(1, position);
        run_steps(ring, seed, 4);
      });
    }
    for (auto& thread : threads) thread.join();
  }
}

TEST(NamedTensors, EndWithTheirGenerationAndComeAnewInTheNext) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const int ranks = 2 + static_cast<int>(seed % 3);
    Host host(ranks);
    std::thread breaker([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(Random(seed).below(4000)));
      host.segment().abort(1);
    });
    host.run(1, [&](ringmaster_communicator& ring) {
      const int rank = ringmaster_position(&ring);
      Random own(seed + static_cast<std::uint64_t>(rank));
      ringmaster_status status = RINGMASTER_OK;
      for (int turn = 0; status == RINGMASTER_OK; ++turn) {
        Step step(seed, rank);
        status = step.hand_in(ring, own, nullptr);
        // Whatever came in between: nobody touches the step's memory once this has returned.
        const auto waited = ringmaster_tensors_wait_all(&ring, 60);
        if (status == RINGMASTER_OK) status = waited;
        if (status == RINGMASTER_OK) step.check(ranks);
      }
      EXPECT_EQ(status, RINGMASTER_GENERATION_CHANGED) << ringmaster_error_message();
    });
    breaker.join();
    host.run(2, [&](ringmaster_communicator& ring) { run_steps(ring, seed, 2); });
  }
}

TEST(NamedTensors, ARankThatLeavesWaitsForNobody) {
  Host host(2);
  const Time begin = read_clock();
  std::atomic<int> waiting{0};
  host.run(1, [&](ringmaster_communicator& ring) {
    double one = 1;
    ringmaster_work* work = nullptr;
    const bool first = ringmaster_position(&ring) == 0;
    EXPECT_EQ(ringmaster_tensor_all_reduce(&ring, first ? "a" : "b", &one, &one, 1,
                                           RINGMASTER_FLOAT64, RINGMASTER_SUM, &work),
              RINGMASTER_OK);
    EXPECT_EQ(ringmaster_work_wait(work, 0.02), RINGMASTER_TIMED_OUT);
    ++waiting;
    while (waiting < 2) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    host.segment().leave(1);
    ring.end_generation();
    EXPECT_EQ(ringmaster_work_wait(work, 0), RINGMASTER_GENERATION_CHANGED);
    ringmaster_work_free(work);
  });
  EXPECT_LT(to_seconds(read_clock() - begin), 30);
}

TEST(NamedTensors, AfterTheFirstStepAgreementIsOneVote) {
  Host host(2);
  host.run(1, [](ringmaster_communicator& ring) {
    std::vector<double> layers(30, 1);
    const auto step = [&] {
      for (std::size_t i = 3; i-- > 0;) {  // as a backward pass does
        double* layer = layers.data() + 10 * i;
        ASSERT_EQ(ringmaster_tensor_all_reduce(&ring, std::to_string(i).c_str(), layer, layer, 10,
                                               RINGMASTER_FLOAT64, RINGMASTER_AVERAGE, nullptr),
                  RINGMASTER_OK);
      }
      ASSERT_EQ(ringmaster_tensors_wait_all(&ring, 60), RINGMASTER_OK);
    };
    step();
    const std::uint64_t calls = ring.tensors->roll_calls();
    EXPECT_LE(1u, calls);
    for (int turn = 0; turn < 20; ++turn) step();
    EXPECT_EQ(ring.tensors->roll_calls(), calls);
    // Neighbours in memory are reduced where they lie.
    EXPECT_EQ(ring.tensors->copied(), 0u);
    EXPECT_EQ(layers, std::vector<double>(30, 1));
    EXPECT_EQ(ringmaster_barrier(&ring), RINGMASTER_OK);
  });
}

TEST(NamedTensors, ATensorThatDiffersIsAnErrorOnAllRanksThatNamesBoth) {
  Host host(3);
  host.run(1, [](ringmaster_communicator& ring) {
    std::vector<float> data(20, 1);
    // The name is known to all, and of one size, before one rank comes with another.
    for (int turn = 0; turn < 2; ++turn) {
      const size_t count = turn == 1 && ringmaster_position(&ring) == 1 ? 20 : 10;
      ASSERT_EQ(ringmaster_tensor_all_reduce(&ring, "layer", data.data(), data.data(), count,
                                             RINGMASTER_FLOAT32, RINGMASTER_SUM, nullptr),
                RINGMASTER_OK);
      const auto status = ringmaster_tensors_wait_all(&ring, 60);
      if (turn == 0) {
        ASSERT_EQ(status, RINGMASTER_OK);
        continue;
      }
      EXPECT_EQ(status, RINGMASTER_MISMATCH);
      EXPECT_STREQ(ringmaster_error_message(),
                   "tensor layer: rank 2 handed in all_reduce of 10 float32 (sum), rank 1 handed "
                   "in all_reduce of 20 float32 (sum)");
    }
    // The ranks are in step all the same.
    EXPECT_EQ(ringmaster_barrier(&ring), RINGMASTER_OK);
  });
}

TEST(NamedTensors, ATensorThatOneRankNeverHandsInIsNamedWithIt) {
  Host host(2);
  host.run(1, [](ringmaster_communicator& ring) {
    float data = 1;
    const bool lacks = ringmaster_position(&ring) == 1;  // rank 0
    const auto hand_in = [&](const char* name) {
      ASSERT_EQ(ringmaster_tensor_all_reduce(&ring, name, &data, &data, 1, RINGMASTER_FLOAT32,
                                             RINGMASTER_SUM, nullptr),
                RINGMASTER_OK);
    };
    hand_in(lacks ? "embedding" : "head");
    EXPECT_EQ(ringmaster_tensors_wait_all(&ring, 60), RINGMASTER_MISMATCH);
    const std::string message = ringmaster_error_message();
    EXPECT_NE(message.find("tensor embedding: handed in by rank 0, not by rank 1, for "),
              std::string::npos)
        << message;
    EXPECT_NE(message.find("tensor head: handed in by rank 1, not by rank 0, for "),
              std::string::npos)
        << message;
  });
}

TEST(NamedTensors, ALateRankIsWarnedOfAndThenTheTimeIsOver) {
  Host host(2);
  host.run(1, [](ringmaster_communicator& ring) {
    const ringmaster_tensor_settings settings = {sizeof settings, 0, 0.05};
    ASSERT_EQ(ringmaster_tensors_configure(&ring, &settings), RINGMASTER_OK);
    ASSERT_EQ(ringmaster_set_timeout(&ring, 1), RINGMASTER_OK);
    float both = 1, one = 1;
    ringmaster_work *first = nullptr, *second = nullptr;
    // A rank that goes on handing in, but not this.
    ASSERT_EQ(ringmaster_tensor_all_reduce(&ring, "both", &both, &both, 1, RINGMASTER_FLOAT32,
                                           RINGMASTER_SUM, &first),
              RINGMASTER_OK);
    const bool has = ringmaster_position(&ring) == 0;  // rank 1
    if (has) {
      ASSERT_EQ(ringmaster_tensor_all_reduce(&ring, "one", &one, &one, 1, RINGMASTER_FLOAT32,
                                             RINGMASTER_SUM, &second),
                RINGMASTER_OK);
    }
    EXPECT_EQ(wait_for({first}), RINGMASTER_OK);
    std::string warning;
    const Time begin = read_clock();
    while (warning.empty() && to_seconds(read_clock() - begin) < 60) {
      warning = ringmaster_tensors_warning(&ring);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_EQ(warning.find("tensor one: handed in by rank 1, not by rank 0, for "), 0u) << warning;
    if (has) {
      EXPECT_EQ(wait_for({second}), RINGMASTER_TIMED_OUT);
      EXPECT_EQ(std::string(ringmaster_error_message()).find("tensor one: handed in by rank 1"), 0u)
          << ringmaster_error_message();
    }
    // The rank that lacks it waits here until the other's time is over.
    while (!ring.idle()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  });
}

TEST(NamedTensors, WhatACallerMayGetWrongIsNamed) {
  Host host(1);
  host.run(1, [](ringmaster_communicator& ring) {
    float data[2] = {};
    const auto hand_in = [&](const char* name, const void* input) {
      return ringmaster_tensor_all_reduce(&ring, name, input, data, 1, RINGMASTER_FLOAT32,
                                          RINGMASTER_SUM, nullptr);
    };
    EXPECT_EQ(hand_in(nullptr, data), RINGMASTER_INVALID);
    EXPECT_STREQ(ringmaster_error_message(), "tensor_all_reduce: no name");
    EXPECT_EQ(hand_in("", data), RINGMASTER_INVALID);
    EXPECT_STREQ(ringmaster_error_message(), "tensor: a name has 1 to 255 bytes");
    EXPECT_EQ(hand_in("a", nullptr), RINGMASTER_INVALID);
    EXPECT_STREQ(ringmaster_error_message(), "tensor_all_reduce: a null pointer");
    EXPECT_EQ(ringmaster_tensors_wait_all(&ring, -1), RINGMASTER_INVALID);
    const ringmaster_tensor_settings wrong = {0, 1, 1};
    EXPECT_EQ(ringmaster_tensors_configure(&ring, &wrong), RINGMASTER_INVALID);
    EXPECT_STREQ(ringmaster_error_message(), "tensors_configure: set size_of_struct first");
    EXPECT_STREQ(ringmaster_tensors_warning(&ring), "");
  });
}

}  // namespace
}  // namespace ringmaster::collectives
