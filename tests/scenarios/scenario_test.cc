// SPDX-License-Identifier: Apache-2.0
//
// Plays every story beside this file. RINGMASTER_REWRITE=1 writes down what happens now: commit
// only the differences that you understand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/scenarios/stage.h"
#include "tests/scenarios/story.h"

namespace ringmaster::scenarios {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> story_files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(RINGMASTER_SOURCE_DIR "/tests/scenarios")) {
    if (entry.path().extension() == ".txt") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

std::string read_text(const fs::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// The story with what really happens below the dashes.
std::vector<Block> play_story(std::vector<Block> story) {
  Stage stage;
  for (Block& block : story) {
    block.outputs.clear();
    for (const std::string& line : block.inputs) {
      if (line.starts_with('#')) continue;
      const auto said = stage.play(line);
      if (!said) {
        ADD_FAILURE() << said.error().message;
        return story;
      }
      block.outputs.insert(block.outputs.end(), said->begin(), said->end());
    }
  }
  return story;
}

class Scenario : public testing::TestWithParam<fs::path> {};

TEST_P(Scenario, GoesAsWritten) {
  const std::string written = read_text(GetParam());
  const std::string played = to_text(play_story(parse_story(written)));
  if (std::getenv("RINGMASTER_REWRITE") != nullptr && !HasFailure()) {
    std::ofstream(GetParam()) << played;
    return;
  }
  EXPECT_EQ(played, written) << "RINGMASTER_REWRITE=1 rewrites " << GetParam();
}

INSTANTIATE_TEST_SUITE_P(All, Scenario, testing::ValuesIn(story_files()),
                         [](const auto& file) { return file.param.stem().string(); });

TEST(Story, ReadsWhatItWrites) {
  const std::string text = "# why\n1s rank 0 starts\n----\n[1.0s] x\n\nwait\n----\n";
  const auto story = parse_story(text);
  ASSERT_EQ(story.size(), 2U);
  EXPECT_EQ(story[0].inputs.size(), 2U);
  EXPECT_EQ(story[0].outputs, std::vector<std::string>{"[1.0s] x"});
  EXPECT_EQ(to_text(story), text);
}

TEST(Stage, RefusesWhatItDoesNotUnderstand) {
  Stage stage;
  EXPECT_FALSE(stage.play("rank 0 dances"));
  EXPECT_FALSE(stage.play("rank 0 starts"));  // of no job
  EXPECT_TRUE(stage.play("5s host a joins with 1 slots"));
  EXPECT_FALSE(stage.play("4s wait"));
}

}  // namespace
}  // namespace ringmaster::scenarios
