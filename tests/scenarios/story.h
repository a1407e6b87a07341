// SPDX-License-Identifier: Apache-2.0
//
// A story: blocks of what happens, each followed by what the core did about it.
//
//     # A comment stays where it is.
//     10s rank 1 killed by signal 9
//     ----
//     [10.00s] start rank 1 on a: replaces a lost rank
//
// Blocks are separated by an empty line. Only the part below the dashes is ever rewritten.
//
// Pure. Not here: what the lines mean (stage.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringmaster::scenarios {

struct Block {
  std::vector<std::string> inputs;   // comments as well
  std::vector<std::string> outputs;  // what was said to follow
};

std::vector<Block> parse_story(std::string_view text);
std::string to_text(const std::vector<Block>& story);

}  // namespace ringmaster::scenarios
