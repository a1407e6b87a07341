// SPDX-License-Identifier: Apache-2.0
#include "worker/state.h"

#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "collectives/shm/ranks_for_test.h"

namespace ringmaster::worker {
namespace {

using collectives::Segment;
using collectives::ShmCommunicator;

/// A rank's state in two parts, and the steps that it pretends to have finished.
struct Holder {
  std::vector<float> weights = std::vector<float>(50000);
  std::vector<std::int64_t> cursor = std::vector<std::int64_t>(3);
  State state;
  Holder(float value, std::int64_t steps) {
    std::fill(weights.begin(), weights.end(), value);
    std::fill(cursor.begin(), cursor.end(), static_cast<std::int64_t>(value));
    state.add(weights.data(), weights.size() * sizeof(float));
    state.add(cursor.data(), cursor.size() * sizeof(std::int64_t));
    for (std::int64_t step = -1; step < steps; ++step) state.step_finished();
  }
  bool holds(float value) const {
    return std::all_of(weights.begin(), weights.end(), [&](float w) { return w == value; }) &&
           cursor[2] == static_cast<std::int64_t>(value);
  }
};

/// Passes calls on, and ends the generation after so many broadcasts.
class Interrupted : public collectives::Communicator {
 public:
  Interrupted(collectives::Communicator& engine, int broadcasts)
      : engine_(engine), broadcasts_(broadcasts) {}
  int size() const override { return engine_.size(); }
  int position() const override { return engine_.position(); }
  Result<void> all_reduce(const void* input, void* output, std::size_t count,
                          collectives::Type type, collectives::Reduction reduction) override {
    return engine_.all_reduce(input, output, count, type, reduction);
  }
  Result<void> broadcast(void* data, std::size_t count, collectives::Type type, int root) override {
    auto result = engine_.broadcast(data, count, type, root);
    if (broadcasts_-- > 0) return result;
    return Error{Errc::generation_changed, "interrupted"};
  }
  Result<void> reduce_scatter(const void* input, void* output, const collectives::Counts& counts,
                              collectives::Type type, collectives::Reduction reduction) override {
    return engine_.reduce_scatter(input, output, counts, type, reduction);
  }
  Result<void> all_gather(const void* input, void* output, const collectives::Counts& counts,
                          collectives::Type type) override {
    return engine_.all_gather(input, output, counts, type);
  }
  Result<void> all_to_all(const void* input, const collectives::Counts& give, void* output,
                          const collectives::Counts& take, collectives::Type type) override {
    return engine_.all_to_all(input, give, output, take, type);
  }
  Result<void> barrier() override { return engine_.barrier(); }
  Result<void> exchange(const std::vector<collectives::Transfer>& sends,
                        const std::vector<collectives::Transfer>& receives) override {
    return engine_.exchange(sends, receives);
  }

 private:
  collectives::Communicator& engine_;
  int broadcasts_;
};

void on_ranks(int ranks, const std::function<void(ShmCommunicator&)>& body) {
  auto segment = Segment::create(ranks);
  ASSERT_TRUE(segment.ok());
  collectives::run_shm_ranks(*segment, ranks, 1, body);
}

TEST(State, TheMostFinishedStepsWin) {
  on_ranks(4, [](ShmCommunicator& ring) {
    // Positions 1 and 2 have finished step 8; position 3 is new.
    const std::int64_t steps[] = {7, 8, 8, kNoState};
    const float values[] = {7, 8, 8, 0};
    Holder holder(values[ring.position()], steps[ring.position()]);
    auto source = holder.state.sync(ring);
    ASSERT_TRUE(source.ok());
    EXPECT_EQ(*source, 1);
    EXPECT_EQ(holder.state.steps(), 8);
    EXPECT_TRUE(holder.holds(8));
  });
}

TEST(State, TheFirstStateIsThatOfPositionZero) {
  on_ranks(3, [](ShmCommunicator& ring) {
    Holder holder(static_cast<float>(ring.position() + 1), kNoState);
    ASSERT_TRUE(holder.state.sync(ring).ok());
    EXPECT_EQ(holder.state.steps(), 0);
    EXPECT_TRUE(holder.holds(1));
  });
}

TEST(State, ASourceThatDiesHalfWayRuinsNothing) {
  for (const int broadcasts : {0, 1}) {
    on_ranks(3, [&](ShmCommunicator& ring) {
      const bool source = ring.position() == 2;
      Holder holder(source ? 9 : 8, source ? 9 : 8);
      Interrupted interrupted(ring, broadcasts);
      auto result = holder.state.sync(interrupted);
      ASSERT_FALSE(result.ok());
      EXPECT_EQ(result.error().code, Errc::generation_changed);
      EXPECT_EQ(holder.state.steps(), source ? 9 : 8);
      EXPECT_TRUE(holder.holds(source ? 9 : 8));
    });
  }
}

TEST(State, DifferentLayoutsAreAnErrorOnAllRanks) {
  on_ranks(2, [](ShmCommunicator& ring) {
    std::vector<float> data(ring.position() == 0 ? 10 : 11);
    State state;
    state.add(data.data(), data.size() * sizeof(float));
    auto result = state.sync(ring);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, Errc::mismatch);
  });
}

}  // namespace
}  // namespace ringmaster::worker
