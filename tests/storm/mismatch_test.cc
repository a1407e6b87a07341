// SPDX-License-Identifier: Apache-2.0
//
// One rank calls something else than the others, in one respect or in all, sooner or later than
// they do: whatever the engine, all ranks fail with the same words, which name it and what it
// called.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/sanitized.h"
#include "collectives/reduce.h"
#include "tests/storm/settings.h"
#include "tests/storm/story.h"

namespace ringmaster::storm {
namespace {

constexpr std::size_t kPartMax = 20'000;  // bytes
constexpr std::uint64_t kSeeds = 80, kSeedsSlow = 12;

bool is_valid(const Call& call) {
  const bool reduces = call.kind == Kind::all_reduce || call.kind == Kind::reduce_scatter;
  return !reduces || *collectives::reduction_problem(call.type, call.reduction) == '\0';
}

/// One that all ranks have a part in.
Call draw_collective(Random& random, int ranks) {
  for (;;) {
    Call call = draw_call(random, ranks, kPartMax);
    if (call.kind != Kind::exchange && call.kind != Kind::group) return call;
  }
}

/// With one more element in one place.
Call longer(Random& random, Call call, int odd) {
  const auto ranks = static_cast<std::uint64_t>(call.places.size());
  if (call.kind == Kind::all_reduce || call.kind == Kind::broadcast) ++call.counts[0];
  const bool by_position = call.kind == Kind::reduce_scatter || call.kind == Kind::all_gather;
  if (by_position) ++call.counts[random.below(ranks)];
  if (call.kind == Kind::all_to_all) {
    const auto to = (static_cast<std::uint64_t>(odd) + 1 + random.below(ranks - 1)) % ranks;
    ++call.matrix[static_cast<std::size_t>(odd)][to];
  }
  return call;
}

/// What the odd rank calls instead.
Call draw_another(Random& random, const Call& call, int odd) {
  const int ranks = static_cast<int>(call.places.size());
  for (;;) {
    Call other = call;
    const std::uint64_t respect = random.below(5);
    if (respect == 0) other.type = static_cast<Type>(random.below(7));
    if (respect == 1) other.reduction = static_cast<Reduction>(random.below(5));
    if (respect == 2)
      other.root = static_cast<int>(random.below(static_cast<std::uint64_t>(ranks)));
    if (respect == 3) other = longer(random, call, odd);
    if (respect == 4) other = draw_collective(random, ranks);
    const bool reduces = call.kind == Kind::all_reduce || call.kind == Kind::reduce_scatter;
    const bool differs =
        other.kind != call.kind ||
        (call.kind != Kind::barrier && (other.type != call.type || respect == 3)) ||
        (reduces && other.reduction != call.reduction) ||
        (call.kind == Kind::broadcast && other.root != call.root);
    if (differs && is_valid(other)) return other;
  }
}

class Mismatch : public testing::TestWithParam<Engine> {
 protected:
  /// What each rank was told, by position.
  std::vector<Error> play(Crew& crew, std::uint64_t seed, int* odd) {
    Random random(seed);
    const int ranks = crew.size();
    *odd = static_cast<int>(random.below(static_cast<std::uint64_t>(ranks)));
    const Call call = draw_collective(random, ranks), other = draw_another(random, call, *odd);
    const bool warm = random.chance(0.5), one_is_late = random.chance(0.5);
    const int late = random.chance(0.5) ? *odd : 0;
    story_ =
        fmt::format("rank {} calls {}\nand the others {}", *odd, text_of(other), text_of(call));
    std::vector<Error> ends(static_cast<std::size_t>(ranks));
    crew.run([&](collectives::Communicator& ring, collectives::Arena* arena) {
      const int own = ring.position();
      Memory memory(arena, seed);
      const Trial trial(own == *odd ? other : call, own, ranks, memory);
      if (warm) {
        ASSERT_TRUE(ring.barrier().ok());
      }
      const std::uint64_t most = one_is_late && own == late ? 20'000 : 200;
      std::this_thread::sleep_for(std::chrono::microseconds(Random(seed + 1).below(most)));
      const auto end = perform(ring, trial.operation());
      ASSERT_FALSE(end.ok());
      ends[static_cast<std::size_t>(own)] = end.error();
      const auto next = ring.barrier();
      ASSERT_FALSE(next.ok());  // nothing is in step after that
      EXPECT_EQ(next.error().message, end.error().message);
    });
    return ends;
  }

  std::string story_;
};

TEST_P(Mismatch, AllRanksFailInTheSameWords) {
  if (std::string(GetParam().name) == "solo") GTEST_SKIP() << "nobody to differ from";
  const auto only = read_storm_seed();
  const std::uint64_t seeds = kSanitized ? kSeedsSlow : kSeeds;
  for (std::uint64_t seed = only.value_or(0); seed < (only ? *only + 1 : seeds); ++seed) {
    const auto crew = GetParam().make(seed);
    int odd = 0;
    const std::vector<Error> ends = play(*crew, seed, &odd);
    SCOPED_TRACE(fmt::format("RINGMASTER_STORM_SEED={}: {}", seed, story_));
    for (const Error& end : ends) {
      EXPECT_EQ(end.code, Errc::mismatch) << end.message;
      EXPECT_EQ(end.message, ends[0].message);
    }
    const std::string& words = ends[0].message;
    const bool called = words.find(fmt::format("rank {} called ", odd)) != std::string::npos &&
                        words.find(" called ") != words.rfind(" called ");
    const bool gives = words.find(fmt::format("all_to_all: rank {} gives ", odd)) == 0;
    EXPECT_TRUE(called || gives) << words;
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, Mismatch, testing::ValuesIn(engines()),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace ringmaster::storm
