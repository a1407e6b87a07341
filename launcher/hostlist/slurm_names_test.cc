// SPDX-License-Identifier: Apache-2.0
#include "launcher/hostlist/slurm_names.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/random.h"

namespace ringmaster::launcher::hostlist {
namespace {

TEST(SlurmNames, AtMostAsManyAsAsked) {
  EXPECT_EQ(expand_names("n[1-4]", 4)->size(), 4U);
  EXPECT_FALSE(expand_names("n[1-5]", 4).ok());
  EXPECT_FALSE(expand_names("n[1-2]m[1-3]", 5).ok());
  EXPECT_EQ(expand_names("n[0-65535]", 1 << 20)->size(), 65536U);
  EXPECT_FALSE(expand_names("n[1]", 0).ok());
}

// Folding is written here the plain way: each name an index of its own.
TEST(SlurmNames, RangesAreTheNamesOneByOne) {
  Random random(7);
  for (int turn = 0; turn < 200; ++turn) {
    const auto width = static_cast<std::size_t>(random.below(5));
    std::vector<std::string> wanted;
    std::string folded, plain;
    for (int part = 0; part < 3; ++part) {
      const auto first = static_cast<int>(random.below(120));
      const int last = first + static_cast<int>(random.below(15));
      folded += fmt::format("{}{:0{}}-{}", part > 0 ? "," : "", first, width, last);
      const std::size_t digits = std::max(width, std::to_string(first).size());
      for (int i = first; i <= last; ++i) {
        wanted.push_back(fmt::format("n{:0{}}", i, digits));
        plain += fmt::format("{}{:0{}}", plain.empty() ? "" : ",", i, digits);
      }
    }
    const auto names = expand_names("n[" + folded + "]", 1000);
    ASSERT_TRUE(names.ok()) << folded;
    EXPECT_EQ(*names, wanted) << folded;
    EXPECT_EQ(*expand_names("n[" + plain + "]", 1000), wanted) << plain;
  }
}

}  // namespace
}  // namespace ringmaster::launcher::hostlist
