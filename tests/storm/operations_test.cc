// SPDX-License-Identifier: Apache-2.0
//
// Thousands of random operations for each engine, against a reference computed serially, with the
// same bits on all ranks.
#include <gtest/gtest.h>

#include "base/sanitized.h"
#include "tests/storm/settings.h"
#include "tests/storm/story.h"

namespace ringmaster::storm {
namespace {

constexpr std::size_t kBytesMax = kSanitized ? 600 * 1024 : 3 * 1024 * 1024;
constexpr std::uint64_t kStoriesSlow = 8;

class Storm : public testing::TestWithParam<Engine> {};

TEST_P(Storm, RandomOperationsComeToWhatTheyMust) {
  const auto only = read_storm_seed();
  const std::uint64_t stories = read_storm_stories(GetParam().stories, kStoriesSlow);
  for (std::uint64_t seed = only.value_or(0); seed < (only ? *only + 1 : stories); ++seed) {
    const auto crew = GetParam().make(seed);
    Story story(*crew, seed, {.bytes_max = kBytesMax});
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
