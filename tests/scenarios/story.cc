// SPDX-License-Identifier: Apache-2.0
#include "tests/scenarios/story.h"

#include <sstream>

namespace ringmaster::scenarios {

std::vector<Block> parse_story(std::string_view text) {
  std::vector<Block> story;
  std::istringstream lines{std::string(text)};
  bool below_dashes = false;
  bool open = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) {
      open = below_dashes = false;
    } else if (line == "----") {
      below_dashes = true;
    } else {
      if (!open) story.emplace_back();
      open = true;
      (below_dashes ? story.back().outputs : story.back().inputs).push_back(line);
    }
  }
  return story;
}

std::string to_text(const std::vector<Block>& story) {
  std::string text;
  for (const Block& block : story) {
    if (!text.empty()) text += "\n";
    for (const std::string& line : block.inputs) text += line + "\n";
    text += "----\n";
    for (const std::string& line : block.outputs) text += line + "\n";
  }
  return text;
}

}  // namespace ringmaster::scenarios
