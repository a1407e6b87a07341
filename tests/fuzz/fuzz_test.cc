// SPDX-License-Identifier: Apache-2.0
//
// Every test run fuzzes a bit: each target gets its corpus and then inputs made from it.
// --gtest_random_seed=N tries others; scripts/fuzz looks for longer, guided by coverage.
#include <gtest/gtest.h>

#include <ostream>
#include <set>

#include "base/check.h"
#include "base/sanitized.h"
#include "tests/fuzz/crash_report.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/target.h"

namespace ringmaster::fuzz {

std::ostream& operator<<(std::ostream& out, const Target& target) {
  return out << target.name;
}

namespace {

constexpr int kSlowness = kSanitized ? 10 : 1;  // about what the sanitizer costs

void fuzz(const Target& target, std::uint64_t seed) {
  install_crash_report();
  for (const std::string& input : target.corpus) {
    announce(target.name, seed, input);
    target.run(input);
  }
  Random random(seed);
  for (int i = 0; i < target.inputs / kSlowness; ++i) {
    const std::string input = mutate(target.corpus, random);
    announce(target.name, seed, input);
    target.run(input);
  }
  announce({}, 0, {});
}

class Fuzz : public testing::TestWithParam<Target> {};

TEST_P(Fuzz, NothingBreaksIt) {
  EXPECT_FALSE(GetParam().corpus.empty());
  fuzz(GetParam(), static_cast<std::uint64_t>(GTEST_FLAG_GET(random_seed)));
}

INSTANTIATE_TEST_SUITE_P(Targets, Fuzz, testing::ValuesIn(targets()),
                         [](const auto& one) { return one.param.name; });

void believes_its_length(std::string_view input) {
  if (input.empty()) return;
  CHECK_LE(static_cast<std::size_t>(static_cast<unsigned char>(input[0])), input.size() - 1);
}

TEST(FuzzDeathTest, AnInputThatBreaksSomethingIsSaidWithItsSeed) {
  const Target bad = {"believer", {std::string("\x03xyz")}, &believes_its_length, 1000};
  EXPECT_DEATH(fuzz(bad, 7), "fuzz target believer, seed 7, input in hex:\n([0-9a-f]{2})+\n");
}

TEST(Mutate, TheSameSeedGivesTheSameInputs) {
  const std::vector<std::string> corpus = {"one 1", "two 22", ""};
  Random a(5), b(5), c(6);
  std::set<std::string> inputs;
  bool other = false;
  for (int i = 0; i < 500; ++i) {
    const std::string input = mutate(corpus, a);
    EXPECT_EQ(input, mutate(corpus, b));
    other = other || input != mutate(corpus, c);
    inputs.insert(input);
  }
  EXPECT_TRUE(other);
  EXPECT_LT(300U, inputs.size()) << "most edits change something";
}

}  // namespace
}  // namespace ringmaster::fuzz
