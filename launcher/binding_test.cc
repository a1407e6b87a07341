// SPDX-License-Identifier: Apache-2.0
#include "launcher/binding.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/cpus.h"

namespace ringmaster::launcher {
namespace {

/// Two sockets with two cores of two threads, numbered as many machines do: second threads last.
std::vector<Processor> two_sockets() {
  std::vector<Processor> processors;
  for (int number = 0; number < 8; ++number) {
    processors.push_back({.number = number, .core = number % 4, .node = number % 4 / 2});
  }
  return processors;
}

using Bound = std::vector<std::vector<int>>;

TEST(Binding, CoresInTurns) {
  EXPECT_EQ(bind_ranks(Bind::core, 3, two_sockets()), (Bound{{0, 4}, {1, 5}, {2, 6}}));
  EXPECT_EQ(bind_ranks(Bind::core, 6, two_sockets()),
            (Bound{{0, 4}, {1, 5}, {2, 6}, {3, 7}, {0, 4}, {1, 5}}));
}

TEST(Binding, NodesInTurns) {
  EXPECT_EQ(bind_ranks(Bind::numa, 3, two_sockets()),
            (Bound{{0, 1, 4, 5}, {2, 3, 6, 7}, {0, 1, 4, 5}}));
}

TEST(Binding, NoneAndUnknownMachinesAreNotBound) {
  EXPECT_EQ(bind_ranks(Bind::none, 2, two_sockets()), (Bound{{}, {}}));
  EXPECT_EQ(bind_ranks(Bind::core, 2, {}), (Bound{{}, {}}));
}

TEST(Binding, OnlyProcessorsThatWeMayUse) {
  const auto allowed = read_allowed_cpus();
  const auto processors = read_processors();
  ASSERT_EQ(processors.size(), allowed.size());
  for (const Processor& processor : processors) {
    EXPECT_TRUE(std::binary_search(allowed.begin(), allowed.end(), processor.number));
  }
}

TEST(Binding, IsSaidInRanges) {
  EXPECT_EQ(processors_text({0, 1, 2, 5, 7, 8}), "0-2,5,7-8");
  EXPECT_EQ(processors_text({}), "");
}

}  // namespace
}  // namespace ringmaster::launcher
