// SPDX-License-Identifier: Apache-2.0
//
// The whole tree keeps to the house style.
#include <gtest/gtest.h>

#include "tests/tidy/rules.h"

namespace ringmaster::tidy {
namespace {

TEST(Tidy, TheTreeKeepsToTheHouseStyle) {
  const auto tree = read_tree(RINGMASTER_SOURCE_DIR);
  ASSERT_TRUE(tree.ok()) << tree.error().message;
  ASSERT_GT(tree->files.size(), 20U) << "the walk over the tree found next to nothing";
  for (const Violation& violation : check_tree(*tree)) ADD_FAILURE() << violation.describe();
}

}  // namespace
}  // namespace ringmaster::tidy
