// SPDX-License-Identifier: Apache-2.0
#include "launcher/output/stream_ways.h"

#include <gtest/gtest.h>

#include "launcher/dialects/streams.h"

namespace ringmaster::launcher {
namespace {

TEST(StreamWays, TagsAreFilledIn) {
  EXPECT_EQ(fill_tag("[1,${rank}]<${stream}>:", 3, true), "[1,3]<stderr>:");
  EXPECT_EQ(fill_tag("${local_rank}${rank}", 2, false), "22");
  EXPECT_EQ(fill_tag("a ${other} ${rank", 2, false), "a ${other} ${rank");
  EXPECT_EQ(fill_tag("", 2, false), "");
}

TEST(StreamWays, FoldersOfEachLayout) {
  EXPECT_EQ(files_folder(FileLayout::torchrun, "d", 1, 7, 11), "d/attempt_1/7");
  EXPECT_EQ(files_folder(FileLayout::openmpi, "d", 0, 7, 11), "d/1/rank.07");
  EXPECT_EQ(files_folder(FileLayout::openmpi, "d", 0, 7, 10), "d/1/rank.07");
  EXPECT_EQ(files_folder(FileLayout::openmpi, "d", 0, 1, 2), "d/1/rank.1");
}

std::string ways_of(std::string_view redirects, std::string_view tee, int ranks) {
  const auto streams = read_streams(redirects, tee, ranks);
  if (!streams) return streams.error().message;
  std::string text;
  for (const RankStreams& own : *streams) {
    for (const StreamWay way : {own.output, own.error}) {
      text += way == StreamWay::pass ? 'p' : way == StreamWay::file ? 'f' : 't';
    }
  }
  return text;
}

TEST(StreamWays, TorchrunsNumbers) {
  EXPECT_EQ(ways_of("0", "0", 2), "pppp");
  EXPECT_EQ(ways_of("3", "0", 2), "ffff");
  EXPECT_EQ(ways_of("2", "1", 1), "tf");
  EXPECT_EQ(ways_of("3", "0:3,1:1", 3), "tttfff");
  EXPECT_EQ(ways_of("1:2", "0", 2), "pppf");
  EXPECT_EQ(ways_of("0:1,0:2", "0", 2), "--redirects 0:1,0:2: local rank 0 is there twice");
  for (const char* bad : {"4", "-1", "", "x", "0:4", "0:", ":1", "0:1,", "3,1:1"}) {
    EXPECT_EQ(ways_of("0", bad, 2).find("--tee "), 0U) << bad;
  }
}

}  // namespace
}  // namespace ringmaster::launcher
