// SPDX-License-Identifier: Apache-2.0
//
// Thousands of random operations for each engine, against a reference computed serially, with the
// same bits on all ranks. In every third story operations are started, several at a time.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <mutex>

#include "collectives/async/work_queue.h"
#include "tests/storm/crew.h"
#include "tests/storm/settings.h"
#include "tests/storm/trial.h"

namespace ringmaster::storm {
namespace {

using collectives::Arena;
using collectives::Communicator;
using collectives::WorkPointer;
using collectives::WorkQueue;

constexpr int kCallsOfAStory = 50;
constexpr std::size_t kBytesMax = kSlow ? 600 * 1024 : 3 * 1024 * 1024;
constexpr std::size_t kInFlightMax = 6;
constexpr Duration kWaitMax = std::chrono::seconds(120);

/// The calls of one seed, carried out by a crew.
class Story {
 public:
  Story(Crew& crew, std::uint64_t seed)
      : crew_(crew), seed_(seed), digests_(static_cast<std::size_t>(crew.size())) {}

  void run() {
    crew_.run([this](Communicator& ring, Arena* arena) { live(ring, arena); });
    for (std::size_t turn = 0; turn < kCallsOfAStory && !failed_; ++turn) {
      for (const auto& digests : digests_) {
        if (digests.at(turn) != digests_[0].at(turn)) fail(turn, "ranks hold different bits");
      }
    }
  }
  /// What was found first, in words; "" when all is well.
  const std::string& found() const { return found_; }

 private:
  struct Flight {
    std::unique_ptr<Trial> trial;
    WorkPointer work;
    std::size_t turn;
  };

  void live(Communicator& ring, Arena* arena) {
    const int rank = ring.position();
    Random random(seed_);  // the same on all ranks
    Random own(seed_ ^ static_cast<std::uint64_t>(rank + 1) << 32);
    Memory memory(arena, own.next());
    std::deque<Flight> flights;
    std::optional<WorkQueue> queue;
    if (seed_ % 3 == 0) queue.emplace(ring);
    for (std::size_t turn = 0; turn < kCallsOfAStory && !failed_; ++turn) {
      const Call call = draw_call(random, ring.size(), kBytesMax);
      auto trial = std::make_unique<Trial>(call, rank, ring.size(), memory);
      if (!queue) {
        judge(rank, turn, perform(ring, trial->operation()), *trial);
        continue;
      }
      const auto started = queue->start([&operation = trial->operation()](Communicator& engine) {
        return perform(engine, operation);
      });
      if (!started) return fail(turn, started.error().message);
      flights.push_back({std::move(trial), *started, turn});
      // Each rank waits when it likes: for all, or until few enough are on their way.
      const std::size_t most = own.chance(0.2) ? 0 : kInFlightMax;
      while (flights.size() > most && !failed_) land(rank, flights);
    }
    while (!flights.empty() && !failed_) land(rank, flights);
    queue.reset();  // before the arrays go that it may still use
  }

  void land(int rank, std::deque<Flight>& flights) {
    const Flight flight = std::move(flights.front());
    flights.pop_front();
    if (!flight.work->wait(kWaitMax)) return fail(flight.turn, "it has not ended");
    judge(rank, flight.turn, flight.work->result(), *flight.trial);
  }

  void judge(int rank, std::size_t turn, const Result<void>& end, Trial& trial) {
    const bool judged = turn % digests_.size() == static_cast<std::size_t>(rank);
    const std::string wrong = end ? trial.verdict(judged) : end.error().message;
    if (!wrong.empty()) return fail(turn, fmt::format("rank {}: {}", rank, wrong));
    auto& digests = digests_[static_cast<std::size_t>(rank)];
    CHECK_EQ(digests.size(), turn);
    digests.push_back(trial.digest());
  }

  void fail(std::size_t turn, const std::string& what) {
    const std::lock_guard lock(mutex_);
    if (failed_.exchange(true)) return;  // what follows is its echo
    found_ = fmt::format("{} ranks, call {}: {}\n", crew_.size(), turn, what);
    Random random(seed_);
    for (std::size_t i = 0; i <= turn; ++i) {
      found_ += fmt::format("{:3} {}\n", i, text_of(draw_call(random, crew_.size(), kBytesMax)));
    }
    crew_.abort();
  }

  Crew& crew_;
  std::uint64_t seed_;
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::string found_;
  std::vector<std::vector<std::uint64_t>> digests_;  // by position, by turn
};

class Storm : public testing::TestWithParam<Engine> {};

TEST_P(Storm, RandomOperationsComeToWhatTheyMust) {
  const auto only = read_storm_seed();
  const std::uint64_t stories = read_storm_stories(GetParam().stories, 8);
  for (std::uint64_t seed = only.value_or(0); seed < (only ? *only + 1 : stories); ++seed) {
    const auto crew = GetParam().make(seed);
    Story story(*crew, seed);
    story.run();
    ASSERT_EQ(story.found(), "") << "again: RINGMASTER_STORM_SEED=" << seed
                                 << " build/release/bin/tests_storm_tests --gtest_filter=*Storm*/"
                                 << GetParam().name;
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, Storm, testing::ValuesIn(engines()),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace ringmaster::storm
