// SPDX-License-Identifier: Apache-2.0
//
// TCP over bad links: bytes that come one by one, late, through the smallest buffers, or not at
// all. Results are right, or there is one clear error within the time-out; nothing hangs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/sanitized.h"
#include "collectives/tcp/ranks_for_test.h"
#include "tests/storm/relay.h"
#include "tests/storm/settings.h"
#include "tests/storm/story.h"

namespace ringmaster::storm {
namespace {

using collectives::Communicator;
using collectives::TcpCommunicator;
using std::chrono::milliseconds;

/// Ranks whose table has the relay's doors instead of their own.
class RelayedCrew : public Crew {
 public:
  RelayedCrew(int ranks, const LinkFaults& faults, std::uint64_t seed) : ranks_(ranks) {
    std::vector<std::string> endpoints;
    for (int rank = 0; rank < ranks; ++rank) endpoints.push_back(ranks_.endpoint(rank));
    relay_.emplace(std::move(endpoints), faults, seed);
  }
  int size() const override { return ranks_.size(); }
  void run(const Body& body) override {
    std::vector<std::thread> threads;
    for (int position = 0; position < size(); ++position) {
      threads.emplace_back([&, position] {
        auto membership = ranks_.membership(1, position);
        membership.endpoints = relay_->doors();
        TcpCommunicator ring(ranks_.listener(position), membership, ranks_.abort_of(position));
        ring.set_timeout(timeout_);
        ring.set_grace(grace_);
        body(ring, nullptr);
      });
    }
    for (auto& thread : threads) thread.join();
  }
  void abort() override { ranks_.abort(1); }
  void set_patience(Duration timeout, Duration grace) {
    timeout_ = timeout;
    grace_ = grace;
  }

 private:
  collectives::TcpRanks ranks_;
  std::optional<Relay> relay_;
  Duration timeout_ = std::chrono::seconds(60), grace_ = TcpCommunicator::kGrace;
};

int ranks_of_link(std::uint64_t seed) {
  return 2 + static_cast<int>(seed % 3);
}

void run_over(const LinkFaults& faults, std::size_t bytes_max, std::uint64_t ordinary) {
  const auto only = read_storm_seed();
  const std::uint64_t stories = read_storm_stories(ordinary, 2);
  for (std::uint64_t seed = only.value_or(0); seed < (only ? *only + 1 : stories); ++seed) {
    RelayedCrew crew(ranks_of_link(seed), faults, seed);
    Story story(crew, seed, {.calls = 30, .bytes_max = bytes_max});
    story.run();
    ASSERT_EQ(story.found(), "") << "again: RINGMASTER_STORM_SEED=" << seed;
  }
}

TEST(BadLinks, BytesComeOneByOne) {
  run_over({.piece_max = 1}, 200, 3);
}

TEST(BadLinks, BytesComeInRandomPieces) {
  run_over({.piece_max = 700}, 20'000, 10);
}

TEST(BadLinks, BytesComeLate) {
  run_over({.piece_max = 30'000, .delay_max = milliseconds(3)}, 100'000, 4);
}

/// Below so many bytes of a receive buffer the system itself waits 0.2 s for each window.
constexpr Buffers kSmall = {.receive = 16'384, .send = 1};

TEST(BadLinks, SmallBuffersOfTheRelayHoldBytesBack) {
  run_over({.buffers = kSmall}, 100'000, 4);
}

/// Nobody's progress may depend on what the sockets between ranks hold.
void run_with_buffers(const Buffers& buffers, const Story::Shape& shape, std::uint64_t stories) {
  for (const Engine& engine : engines()) {
    if (engine.name != std::string("tcp") && engine.name != std::string("hosts")) continue;
    SCOPED_TRACE(engine.name);
    for (std::uint64_t seed = 0; seed < stories; ++seed) {
      const auto crew = engine.make(seed);
      Story story(*crew, seed, {shape.calls, shape.bytes_max, [&] { set_all_buffers(buffers); }});
      story.run();
      ASSERT_EQ(story.found(), "") << "seed " << seed;
    }
  }
}

TEST(BadLinks, SmallBuffersOfTheRanksAreEnough) {
  run_with_buffers(kSmall, {.calls = 12, .bytes_max = 200'000}, read_storm_stories(3, 2));
}

TEST(BadLinks, TheSmallestBuffersThatThereAreAreEnough) {
  run_with_buffers({.receive = 1, .send = 1}, {.calls = 6, .bytes_max = 4'000}, 2);
}

/// It may have unread notes in its own socket by then, with which the system would reset the
/// connection and drop what is still to be sent.
TEST(BadLinks, ARankThatLeavesLetsItsLastBytesArrive) {
  collectives::TcpRanks ranks(2);
  ranks.run(1, [](TcpCommunicator& ring) {
    ring.set_grace(milliseconds(100));
    ASSERT_TRUE(ring.connect().ok());
    if (ring.position() == 0) set_all_buffers({.receive = 8192, .send = 0});
    ASSERT_TRUE(ring.barrier().ok());
    std::vector<std::int32_t> data(40'000, ring.position());
    const auto end = ring.broadcast(data.data(), data.size(), RINGMASTER_INT32, 1);
    ASSERT_TRUE(end.ok()) << end.error().message;
    EXPECT_EQ(data, std::vector<std::int32_t>(data.size(), 1));
  });
}

/// What a rank was told when its link was cut.
struct Outcome {
  std::optional<Error> error;
  Duration took{};          // of the call that failed
  std::string wrong;        // of one that did not
  std::string error_again;  // of the next call
};

Outcome call_until_it_fails(Communicator& ring, std::uint64_t seed) {
  Random random(seed);
  Memory memory(nullptr, seed);
  Outcome outcome;
  for (int turn = 0; turn < 10'000 && outcome.wrong.empty(); ++turn) {
    Trial trial(draw_call(random, ring.size(), 60'000), ring.position(), ring.size(), memory);
    const Time begin = read_clock();
    const auto end = perform(ring, trial.operation());
    if (end) {
      outcome.wrong = trial.verdict(true);
      continue;
    }
    outcome.took = read_clock() - begin;
    outcome.error = end.error();
    const auto next = ring.barrier();
    outcome.error_again = next ? "" : next.error().message;
    return outcome;
  }
  return outcome;
}

class CutLinks : public testing::TestWithParam<LinkFaults::Cut> {};

TEST_P(CutLinks, AreOneClearErrorInTime) {
  for (std::uint64_t seed = 0; seed < read_storm_stories(8, 3); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    // In the first story not even the greetings come through.
    const std::uint64_t bytes = seed == 0 ? 0 : random.below(seed % 2 == 0 ? 2'000 : 2'000'000);
    RelayedCrew crew(ranks_of_link(seed), {.cut = GetParam(), .cut_after = bytes}, seed);
    crew.set_patience(milliseconds(kSanitized ? 1000 : 300), milliseconds(100));
    std::vector<Outcome> outcomes(static_cast<std::size_t>(crew.size()));
    crew.run([&](Communicator& ring, collectives::Arena*) {
      outcomes[static_cast<std::size_t>(ring.position())] = call_until_it_fails(ring, seed);
    });
    for (const Outcome& outcome : outcomes) {
      EXPECT_EQ(outcome.wrong, "");
      ASSERT_TRUE(outcome.error);
      const Errc code = outcome.error->code;
      EXPECT_TRUE(code == Errc::closed || code == Errc::timed_out) << outcome.error->message;
      EXPECT_NE(outcome.error->message.find(" rank "), std::string::npos) << outcome.error->message;
      EXPECT_EQ(outcome.error_again, outcome.error->message);
      EXPECT_LT(to_seconds(outcome.took), kSanitized ? 10 : 3);
    }
  }
}

TEST_P(CutLinks, AreExplainedByTheAbort) {
  for (std::uint64_t seed = 20; seed < 20 + read_storm_stories(5, 3); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    RelayedCrew crew(ranks_of_link(seed), {.cut = GetParam(), .cut_after = random.below(300'000)},
                     seed);
    std::atomic<int> left{crew.size()};
    std::atomic<bool> aborted{false};
    std::thread agent([&] {
      std::this_thread::sleep_for(milliseconds(30 + random.below(100)));
      aborted = true;
      crew.abort();
    });
    crew.run([&](Communicator& ring, collectives::Arena*) {
      const Outcome outcome = call_until_it_fails(ring, seed);
      EXPECT_EQ(outcome.wrong, "");
      ASSERT_TRUE(outcome.error);
      EXPECT_TRUE(aborted) << "not before: " << outcome.error->message;
      EXPECT_EQ(outcome.error->code, Errc::generation_changed) << outcome.error->message;
      EXPECT_LT(to_seconds(outcome.took), kSanitized ? 10 : 3);
      --left;
    });
    agent.join();
    EXPECT_EQ(left, 0);
  }
}

std::string name_of_cut(const testing::TestParamInfo<LinkFaults::Cut>& one) {
  constexpr const char* kNames[] = {"none", "reset", "closed", "silent"};
  return kNames[static_cast<int>(one.param)];
}

INSTANTIATE_TEST_SUITE_P(Cuts, CutLinks,
                         testing::Values(LinkFaults::Cut::reset, LinkFaults::Cut::closed,
                                         LinkFaults::Cut::silent),
                         name_of_cut);

}  // namespace
}  // namespace ringmaster::storm
